// How the callback page in a window tells the page that opened it: by a channel that both know by the
// login's `state`, which works where `Cross-Origin-Opener-Policy` has cut them apart, and by a message
// to the opener, which works where the browser keeps a third-party frame's channels to itself. What is
// told is the provider's answer: a code, worth nothing without the verifier that never left the opener.
import type { OidcFlowError } from "../../core/index.js";

/** What the `state` of a login in a window ends with: its callback page knows by it that it is in one. */
export const WINDOW_STATE = "window";

export const isWindowState = (state: string): boolean => state.endsWith(`;${WINDOW_STATE}`);

/** A page that was put to sleep behind its window hears nothing until it is seen again. */
const PATIENCE_MS = 10_000;

/** How a login ended, as the window is told. */
export type HandedOver = "success" | Pick<OidcFlowError, "message" | "code">;

interface Message {
  readonly state: string;
  readonly answer?: string;
  readonly outcome?: HandedOver;
}

const channelOf = (state: string): BroadcastChannel =>
  new BroadcastChannel(`matrix-auth-elements:${state}`);

function readMessage(data: unknown, state: string): Message | undefined {
  const message = Object(data) as Partial<Record<keyof Message, unknown>>;
  return message.state === state ? (data as Message) : undefined;
}

/** The opener's end. */
export class AnswerListener {
  readonly #state: string;
  readonly #channel: BroadcastChannel;
  readonly #answered: (address: string) => void;
  #replyTo: MessageEventSource | null = null;

  /** @param answered Gets the address that the browser came back to. */
  constructor(state: string, answered: (address: string) => void) {
    this.#state = state;
    this.#answered = answered;
    this.#channel = channelOf(state);
    this.#channel.addEventListener("message", this.#onMessage);
    window.addEventListener("message", this.#onMessage);
  }

  /** Tells the window how the login ended. */
  reply(outcome: HandedOver): void {
    const message: Message = { state: this.#state, outcome };
    this.#channel.postMessage(message);
    this.#replyTo?.postMessage(message, { targetOrigin: location.origin });
  }

  close(): void {
    this.#channel.close();
    window.removeEventListener("message", this.#onMessage);
  }

  readonly #onMessage = ({ data, origin, source }: MessageEvent<unknown>): void => {
    if (origin !== location.origin) return;
    const answer = readMessage(data, this.#state)?.answer;
    if (typeof answer !== "string") return;
    if (source) this.#replyTo = source;
    this.#answered(answer);
  };
}

/** The window's end. @returns How the login ended; undefined where nobody waits for it. */
export function handOver(state: string, answer: string): Promise<HandedOver | undefined> {
  const channel = channelOf(state);
  return new Promise<HandedOver | undefined>((resolve) => {
    const onMessage = ({ data, origin }: MessageEvent<unknown>): void => {
      const outcome = origin === location.origin && readMessage(data, state)?.outcome;
      if (outcome) end(outcome);
    };
    const end = (outcome?: HandedOver): void => {
      clearTimeout(timer);
      window.removeEventListener("message", onMessage);
      channel.close();
      resolve(outcome);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    channel.addEventListener("message", onMessage);
    window.addEventListener("message", onMessage);
    const message: Message = { state, answer };
    channel.postMessage(message);
    // Where somebody else's page has opened this one, the browser keeps the message from it.
    (window.opener as Window | null)?.postMessage(message, location.origin);
  });
}
