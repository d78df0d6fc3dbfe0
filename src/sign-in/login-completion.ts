import type { AuthorizationCodeGrantResult, OidcSession } from "../core/index.js";
import { completeFlow, giveUpFlow } from "../core/oauth/code-grant.js";
import { asFlowError, OidcFlowError } from "../core/oauth/flow-error.js";
import { flowOfRecord, type PendingFlow } from "../core/oauth/flow-store.js";
import type { ResponseMode } from "../core/oauth/response.js";
import { revokeUnused } from "../core/oauth/revocation.js";
import { type CapturedAuthorization, isPopupState } from "./captured-response.js";
import { lazyPart } from "../ui/loading.js";
import { loadSession } from "./session-attributes.js";
import { Completion, recordOf, type Settled, shared } from "./completion.js";
import { publishResponse } from "./popup-response.js";
import { createSession, type Success } from "./signed-in.js";

export { reportTokens } from "./signed-in.js";

const loadConfirmation = /* @__PURE__ */ lazyPart(() => import("./confirm-user.js"));

type ConfirmUser = (result: AuthorizationCodeGrantResult) => Promise<void>;

export type SettledLogin = Settled<Success, OidcFlowError>;

const flowUnknown = (): OidcFlowError =>
  new OidcFlowError("State required to finish logging in is not found in storage.", "flow_unknown");

export class LoginCompletion extends Completion<
  CapturedAuthorization | undefined,
  PendingFlow,
  Success,
  OidcFlowError
> {
  protected readonly asError: typeof asFlowError = asFlowError;
  #result: AuthorizationCodeGrantResult | undefined;
  #userId: string | undefined;

  static of(...args: ConstructorParameters<typeof LoginCompletion>): LoginCompletion {
    return shared(args[0], () => new LoginCompletion(...args));
  }

  /** The code may still be valid, or storing the tokens may now succeed. */
  get canRetry(): boolean {
    if (this.signal.aborted) return false;
    if (this.#result) return !!this.error;
    // The sign-in failed before the code was used.
    const isUnused = this.error?.code === "load_failed";
    return !!this.login && (isUnused || this.error?.retryable === true);
  }

  get server(): string | undefined {
    return this.login?.metadata.issuer;
  }

  /** Tokens that are kept for another attempt are revoked. */
  override cancel(): void {
    super.cancel();
    if (this.login && this.error) giveUpFlow(this.login);
  }

  protected async complete(): Promise<Success> {
    if (!this.response) throw flowUnknown();
    const { state, parameters, mode } = this.response;
    const record = this.login ? null : readRecord(this.response);
    if (!this.login && record === null && isPopupState(state)) {
      await this.#publish(this.response);
      return { result: undefined, client: undefined, session: undefined };
    }
    this.login ??= flowOfRecord(state, record);
    // Both modules are loaded before the authorization code is used, so that the tokens cannot be
    // lost.
    const { login } = this;
    const confirm = await this.#loadConfirmation(login);
    if (this.chooseSession()) await loadSession();
    const result = (this.#result ??= await this.#requestTokens(login, parameters, mode, confirm));
    this.#unlessCancelled(login, result);
    const success = await createSession(result, this.chooseSession(result), this.#userId);
    this.#unlessCancelled(login, result, success.session);
    return success;
  }

  /**
   * If the page expects a user, the tokens are not used before the homeserver has confirmed the
   * user. If it expects only a device, the tokens are rejected only if they belong to another
   * device.
   */
  async #loadConfirmation({
    isDeviceNamed,
    homeserverUrl,
  }: PendingFlow): Promise<ConfirmUser | undefined> {
    const { expectedUserId, timeoutMs } = this;
    const isDeviceExpected = isDeviceNamed && homeserverUrl;
    if (!expectedUserId && !isDeviceExpected) return undefined;
    const { confirmUser } = await loadConfirmation();
    return async (result) => {
      try {
        this.#userId = await confirmUser(result, expectedUserId, { timeoutMs });
      } catch (error) {
        if (expectedUserId || asFlowError(error).code === "scope_not_granted") throw error;
      }
    };
  }

  async #requestTokens(
    login: PendingFlow,
    parameters: URLSearchParams,
    mode: ResponseMode,
    confirm: ConfirmUser | undefined,
  ): Promise<AuthorizationCodeGrantResult> {
    try {
      return await completeFlow(login, parameters, { mode, confirm, timeoutMs: this.timeoutMs });
    } catch (error) {
      if (this.signal.aborted) giveUpFlow(login);
      throw error;
    }
  }

  /** Otherwise the account would keep an unused device. @throws {OidcFlowError} `aborted` */
  #unlessCancelled(
    login: PendingFlow,
    { tokenResponse }: AuthorizationCodeGrantResult,
    session?: OidcSession,
  ): void {
    if (!this.signal.aborted) return;
    void session?.undo({ notify: false });
    revokeUnused(login, tokenResponse);
    throw new OidcFlowError("Failed to exchange code for token", "aborted");
  }

  /** The page that opened the popup has the flow, completes the sign-in and fires the events. */
  async #publish(response: CapturedAuthorization): Promise<void> {
    const { state, url } = response;
    const outcome = await publishResponse(state, url);
    if (outcome === undefined) throw flowUnknown();
    response.isReported = true;
    // Some browsers do not close the popup; then the element's own message stays visible.
    window.close();
    if (outcome === "success") return;
    if (typeof outcome === "object") throw new OidcFlowError(outcome.message, outcome.code);
    // The opener has cancelled the sign-in.
    throw new OidcFlowError("The authorization was refused", "access_denied");
  }
}

/** A popup needs no storage: its opener has the flow. */
function readRecord(response: CapturedAuthorization): string | null {
  try {
    return recordOf(response);
  } catch (error) {
    if (isPopupState(response.state)) return null;
    throw error;
  }
}
