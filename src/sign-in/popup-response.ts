import type { OidcFlowError } from "../core/index.js";

// How the callback page in a popup reports to the page that opened it: over a channel named after
// the sign-in's `state`, which needs no opener, or, if the browser has no channel between the two,
// by a message to the opener. It sends the provider's response: a code, which is worthless without
// the verifier that never left the opener.

/** An opener that is suspended behind the popup replies only once it is visible. */
const REPLY_TIMEOUT_MS = 10_000;

/**
 * The opener requests the tokens once, the keys up to twice, and the user, with 30 seconds for each
 * request.
 */
const OUTCOME_TIMEOUT_MS = 120_000;

type PopupOutcome = "success" | "cancelled" | Pick<OidcFlowError, "message" | "code">;

interface Message {
  readonly state: string;
  readonly response?: string;
  /** The response has arrived and is being processed. */
  readonly acknowledged?: true;
  readonly outcome?: PopupOutcome;
}

/**
 * Undefined in Firefox without storage: see `tab-channel.ts`. Messages to the opener are
 * sufficient.
 */
function channelOf(state: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(`matrix-auth-elements:${state}`);
  } catch {
    return undefined;
  }
}

/** Whether the page is in a frame on another site. Browsers partition the channels there. */
function isForeignFrame(): boolean {
  try {
    for (let frame: Window = window; frame !== frame.parent; frame = frame.parent) {
      if (frame.parent.location.origin !== location.origin) return true;
    }
    return false;
  } catch {
    return true;
  }
}

function readMessage(data: unknown, state: string): Message | undefined {
  const message = Object(data) as Partial<Record<keyof Message, unknown>>;
  return message.state === state ? (data as Message) : undefined;
}

export class PopupResponseListener {
  readonly #state: string;
  readonly #channel: BroadcastChannel | undefined;
  #onResponse: (url: string) => void;
  #replyTo: MessageEventSource | null = null;

  constructor(state: string, onResponse: (url: string) => void) {
    this.#state = state;
    this.#onResponse = onResponse;
    this.#channel = channelOf(state);
    this.#channel?.addEventListener("message", this.#onMessage);
    window.addEventListener("message", this.#onMessage);
  }

  /** Whether the popup can respond only with a message to its opener. */
  get needsOpener(): boolean {
    return !this.#channel || isForeignFrame();
  }

  /** Makes the listener reply to a later response that the sign-in was cancelled. */
  decline(): void {
    this.#onResponse = () => this.reply("cancelled");
  }

  reply(outcome: PopupOutcome): void {
    this.#send({ state: this.#state, outcome });
  }

  #send(message: Message): void {
    this.#channel?.postMessage(message);
    this.#replyTo?.postMessage(message, { targetOrigin: location.origin });
  }

  close(): void {
    this.#channel?.close();
    window.removeEventListener("message", this.#onMessage);
  }

  readonly #onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
    if (origin !== location.origin) return;
    const response = readMessage(data, this.#state)?.response;
    if (typeof response !== "string") return;
    if (source) this.#replyTo = source;
    this.#send({ state: this.#state, acknowledged: true });
    this.#onResponse(response);
  };
}

/** The code for the popup. @returns The outcome of the sign-in; undefined if no page replies. */
export function publishResponse(state: string, url: string): Promise<PopupOutcome | undefined> {
  const channel = channelOf(state);
  return new Promise<PopupOutcome | undefined>((resolve) => {
    const onMessage = ({ data, origin }: MessageEvent<unknown>): void => {
      const message = origin === location.origin ? readMessage(data, state) : undefined;
      if (message?.outcome) end(message.outcome);
      else if (message?.acknowledged) wait(OUTCOME_TIMEOUT_MS);
    };
    const end = (outcome?: PopupOutcome): void => {
      clearTimeout(timer);
      window.removeEventListener("message", onMessage);
      channel?.close();
      resolve(outcome);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (timeoutMs: number): void => {
      clearTimeout(timer);
      timer = setTimeout(end, timeoutMs);
    };
    wait(REPLY_TIMEOUT_MS);
    channel?.addEventListener("message", onMessage);
    window.addEventListener("message", onMessage);
    const message: Message = { state, response: url };
    channel?.postMessage(message);
    // If a page of another origin opened this one, the browser does not deliver the message.
    (window.opener as Window | null)?.postMessage(message, location.origin);
  });
}
