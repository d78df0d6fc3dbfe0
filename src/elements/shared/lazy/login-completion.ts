import type { AuthorizationCodeGrantResult } from "../../../core/index.js";
import { completeFlow } from "../../../core/oidc/code-grant.js";
import { OidcError, OidcFlowError } from "../../../core/oidc/errors.js";
import { flowOfRecord, type PendingFlow } from "../../../core/oidc/flow-store.js";
import { revokeTokens } from "../../../core/oidc/revocation.js";
import type { CapturedResponse } from "../captured-response.js";
import { asFlowError } from "../flow-error.js";
import { createSession, prepareSession, type SignedIn } from "./create-session.js";
import { isPopupState, publishResponse, type PopupOutcome } from "./popup-channel.js";
import type { ChooseSession } from "./session-settings.js";

/** The outcome of completing a login. */
export type Outcome =
  | { readonly state: "pending" }
  | (SignedIn & {
      readonly state: "success";
      /** Undefined if the page that opened this popup has it. */
      readonly result: AuthorizationCodeGrantResult | undefined;
    })
  | { readonly state: "error"; readonly error: OidcFlowError };

export type Settled = Exclude<Outcome, { state: "pending" }>;

export type Success = Extract<Outcome, { state: "success" }>;

const flowUnknown = (): OidcFlowError =>
  new OidcFlowError(OidcError.MissingOrInvalidStoredState, "flow_unknown");

/** The error that the opener reported. A login that it cancelled counts as refused. */
const errorOf = (outcome: Exclude<PopupOutcome, "success">): OidcFlowError =>
  typeof outcome === "object"
    ? new OidcFlowError(outcome.message, outcome.code)
    : new OidcFlowError(OidcError.AuthorizationRefused, "access_denied");

const completions = new WeakMap<CapturedResponse, LoginCompletion>();

/**
 * The completion of one login. It belongs to the page, not to an element: a code can be exchanged only
 * once, however often elements come and go. So it is not aborted when its element leaves the page, and the
 * next element takes over.
 */
export class LoginCompletion extends EventTarget {
  readonly #response: CapturedResponse | undefined;
  readonly #chooseSession: ChooseSession;
  #flow: PendingFlow | undefined;
  #result: AuthorizationCodeGrantResult | undefined;
  #outcome: Outcome = { state: "pending" };
  #announced = false;

  /**
   * The completion of a response: always the same for the same response. Without a response there is
   * nothing to complete, which is an error.
   */
  static of(
    response: CapturedResponse | undefined,
    chooseSession: ChooseSession = () => undefined,
  ): LoginCompletion {
    let completion = response && completions.get(response);
    if (!completion) {
      completion = new LoginCompletion(response, chooseSession);
      if (response) completions.set(response, completion);
      void completion.#run();
    }
    return completion;
  }

  private constructor(response: CapturedResponse | undefined, chooseSession: ChooseSession) {
    super();
    this.#response = response;
    this.#chooseSession = chooseSession;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  /** Whether there was anything to complete. */
  get hasResponse(): boolean {
    return this.#response !== undefined;
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
  async settled(): Promise<Settled> {
    while (this.#outcome.state === "pending") {
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    }
    return this.#outcome;
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
    try {
      if (!this.#response) throw flowUnknown();
      const { state, parameters, mode } = this.#response;
      const record = this.#flow ? null : readRecord(this.#response);
      if (!this.#flow && record === null && isPopupState(state)) {
        return await this.#publish(this.#response);
      }
      this.#flow ??= flowOfRecord(state, record);
      await prepareSession(this.#chooseSession());
      const result = (this.#result ??= await completeFlow(this.#flow, parameters, { mode }));
      this.#settle({
        state: "success",
        result,
        ...(await createSession(result, this.#chooseSession(result))),
      });
    } catch (error) {
      this.#settle({ state: "error", error: asFlowError(error) });
    }
  }

  /** In a popup: the page that opened it has the flow, completes the login and fires the events. */
  async #publish({ state, url }: CapturedResponse): Promise<void> {
    const outcome = await publishResponse(state, url);
    if (outcome === undefined) throw flowUnknown();
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

/** A popup needs no storage: its opener has the flow. */
function readRecord({ state, record }: CapturedResponse): string | null {
  try {
    return record();
  } catch (error) {
    if (isPopupState(state)) return null;
    throw error;
  }
}
