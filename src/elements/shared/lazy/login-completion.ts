import type { AuthorizationCodeGrantResult, SessionStoreName } from "../../../core/index.js";
import { completeFlow } from "../../../core/oidc/code-grant.js";
import { OidcFlowError } from "../../../core/oidc/errors.js";
import { flowOfRecord, type PendingFlow } from "../../../core/oidc/flow-store.js";
import { revokeTokens } from "../../../core/oidc/revocation.js";
import { asFlowError } from "../flow-error.js";
import { handOver, isWindowState, type HandedOver } from "./popup-channel.js";
import { settingsInvalid } from "./page-urls.js";
import type { Capture } from "../captured-response.js";
import { prepareSignedIn, signedIn, type SignedIn } from "./create-session.js";

/** The outcome of completing a login. */
export type Outcome =
  | { readonly state: "pending" }
  | (SignedIn & {
      readonly state: "success";
      /** Undefined if the page that opened this popup has it. */
      readonly result: AuthorizationCodeGrantResult | undefined;
    })
  | { readonly state: "error"; readonly error: OidcFlowError };

/** The error of `<oidc-callback>` if there is no login to complete. */
export const nothingToComplete = (): OidcFlowError =>
  new OidcFlowError("State required to finish logging in is not found in storage.", "flow_unknown");

/** An element's settings for completing a login. */
export interface CompletionSettings {
  /** The element's `persist`. */
  readonly persist?: string | null | undefined;
}

const STORES: ReadonlyMap<string, SessionStoreName | undefined> = new Map([
  ["none", undefined],
  ["session", "sessionStorage"],
  ["local", "localStorage"],
]);

function storeOf(persist: string): SessionStoreName | undefined {
  if (STORES.has(persist)) return STORES.get(persist);
  throw settingsInvalid(`persist is neither ${[...STORES.keys()].join(" nor ")}`);
}

/** The error that the opener reported. A login that it cancelled counts as refused. */
const errorOf = (told: Exclude<HandedOver, "success">): OidcFlowError =>
  typeof told === "object"
    ? new OidcFlowError(told.message, told.code)
    : new OidcFlowError("The authorization was refused", "access_denied");

const completions = new WeakMap<Capture, Completion>();

/**
 * The completion of one login. It belongs to the page, not to an element: a code can be exchanged only
 * once, however often elements come and go. So it is not aborted when its element leaves the page, and the
 * next element takes over.
 */
export class Completion extends EventTarget {
  readonly #capture: Capture;
  readonly #settings: CompletionSettings;
  #flow: PendingFlow | undefined;
  #result: AuthorizationCodeGrantResult | undefined;
  #outcome: Outcome = { state: "pending" };
  #announced = false;

  /** The completion of a response: always the same for the same response. */
  static of(captured: Capture, settings: CompletionSettings): Completion {
    let completion = completions.get(captured);
    if (!completion) {
      completion = new Completion(captured, settings);
      completions.set(captured, completion);
      void completion.#run();
    }
    return completion;
  }

  private constructor(captured: Capture, settings: CompletionSettings) {
    super();
    this.#settings = settings;
    this.#capture = captured;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  get error(): OidcFlowError | undefined {
    return this.#outcome.state === "error" ? this.#outcome.error : undefined;
  }

  /** What the page kept with the flow. */
  get appState(): Readonly<Record<string, string>> {
    return this.#flow?.appState ?? {};
  }

  /** Whether a retry could help: the code may still be valid, or storing the tokens may now succeed. */
  get canRetry(): boolean {
    if (this.#result) return !!this.error;
    // It failed before the code was used.
    const isUnused = this.error?.code === "load_failed";
    return !!this.#flow && (isUnused || this.error?.retryable === true);
  }

  /** True once per outcome, for the element that will fire the event. */
  takeAnnouncement(): boolean {
    const first = !this.#announced && this.#outcome.state !== "pending";
    this.#announced ||= first;
    return first;
  }

  /** Resolves when the outcome is no longer pending. */
  async settled(): Promise<void> {
    while (this.#outcome.state === "pending") {
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    }
  }

  /** Tries again if that may succeed. */
  retry(): void {
    if (!this.canRetry) return;
    this.#announced = false;
    this.#settle({ state: "pending" });
    void this.#run();
  }

  /** Revokes the tokens that it got, for a login that was cancelled. */
  async revoke(): Promise<void> {
    if (!this.#flow || !this.#result) return;
    const { metadata, clientId } = this.#flow;
    await revokeTokens(metadata, clientId, this.#result.tokenResponse).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { state, parameters, mode } = this.#capture;
    try {
      const record = this.#flow ? null : this.#record();
      if (!this.#flow && record === null && isWindowState(state)) return await this.#handOver();
      const store = storeOf(this.#settings.persist || "none");
      this.#flow ??= flowOfRecord(state, record);
      await prepareSignedIn(store);
      const result = (this.#result ??= await completeFlow(this.#flow, parameters, { mode }));
      this.#settle({ state: "success", result, ...(await signedIn(result, store)) });
    } catch (error) {
      this.#settle({ state: "error", error: asFlowError(error) });
    }
  }

  /** A popup needs no storage: its opener has the flow. */
  #record(): string | null {
    const { state, record } = this.#capture;
    try {
      return record();
    } catch (error) {
      if (isWindowState(state)) return null;
      throw error;
    }
  }

  /** In a popup: the page that opened it has the flow, completes the login and fires the events. */
  async #handOver(): Promise<void> {
    const { state, address } = this.#capture;
    const outcome = await handOver(state, address);
    if (outcome === undefined) throw nothingToComplete();
    this.#announced = true;
    this.#settle(
      outcome === "success"
        ? { state: "success", result: undefined, client: undefined, session: undefined }
        : { state: "error", error: errorOf(outcome) },
    );
    // Some browsers do not close the popup; then the element's own message stays visible.
    window.close();
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.dispatchEvent(new Event("change"));
  }
}
