import { type AuthDict, AuthType, isOAuth, type IStageStatus } from "./options.js";
import { FIRST_RESEND_WAIT_MS } from "./attempt.js";
import { type Failure, failureStatus, isTypeWanted } from "./failure.js";

export class StagePolling {
  /** The credentials of validations that were started elsewhere, by stage. */
  readonly credentials: Map<string, unknown> = new Map();
  /** Servers expect one of the two forms, so they are sent alternately. */
  #oauthForms: readonly AuthDict[] = [{}, { type: AuthType.OAuth }];
  /** The start and the end of a requested wait, which also ends if the clock is set back. */
  #limitedAt = 0;
  #notBefore = 0;
  /** The homeserver's reason for the wait. */
  limit: IStageStatus = {};
  /** Whether the failure of the last poll was reported. */
  failed = false;
  /** The message of the last response, a 401, which means that the stage is not complete. */
  unfinished: string | undefined;
  /** A stage for which the homeserver rejects polls. Only a user's check sends another request. */
  #refusing: string | undefined;

  isAllowed(stage: string): boolean {
    return this.pauseMs <= 0 && stage !== this.#refusing;
  }

  /** The remaining wait. */
  get pauseMs(): number {
    const now = Date.now();
    return now < this.#limitedAt ? 0 : this.#notBefore - now;
  }

  reset(): void {
    this.credentials.clear();
    this.#refusing = undefined;
  }

  /** Forgets earlier responses, because the user has confirmed that the stage is finished. */
  beginCheck(): void {
    this.failed = false;
    this.#refusing = this.unfinished = undefined;
  }

  /** Undefined if there is nothing to poll for. */
  dictOf(stage: string, session: AuthDict | null, emailCredentials: unknown): AuthDict | undefined {
    if (isOAuth(stage)) {
      const [form = {}, ...others] = this.#oauthForms;
      this.#oauthForms = [...others, form];
      return form;
    }
    if (stage !== AuthType.Email && stage !== AuthType.Msisdn) return {};
    const sent = this.credentials.get(stage);
    const threepid_creds = (stage === AuthType.Email && emailCredentials) || sent;
    // Without credentials, a fallback page or another device may complete the stage.
    return threepid_creds ? { type: stage, threepid_creds } : (session ?? undefined);
  }

  /**
   * The status to report. Rate limits are not reported, other failures once. @throws The error, if
   * it ends the attempt.
   */
  refused(
    stage: string | undefined,
    error: unknown,
    failure: Failure,
    auth: AuthDict,
  ): IStageStatus | undefined {
    const { status, errcode, transient, retryAfterMs } = failure;
    if (status === 429) {
      this.#limitedAt = Date.now();
      // The time in another library's error might be NaN.
      this.#notBefore = this.#limitedAt + (retryAfterMs || FIRST_RESEND_WAIT_MS);
      this.limit = { errcode: "M_LIMIT_EXCEEDED", ...failureStatus(failure) };
      return undefined;
    }
    if (status !== undefined) {
      if (stage === undefined || status === 401) throw error;
      // A response without a code is not a rejection by the homeserver.
      const isRefusal = !transient && errcode !== undefined;
      if (isRefusal && isOAuth(stage) && this.#oauthForms.length > 1) {
        this.#oauthForms = this.#oauthForms.filter(({ type }) => type !== auth.type);
        return undefined;
      }
      if (!isOAuth(stage) && isTypeWanted(failure, auth)) this.#refusing = stage;
      else if (isRefusal) throw error;
    }
    if (this.failed) return undefined;
    this.failed = true;
    return failureStatus(failure);
  }
}
