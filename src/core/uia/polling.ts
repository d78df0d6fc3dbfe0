import type { AuthDict } from "../shared/auth-dict.js";
import { FIRST_WAIT_MS, MAX_RESENDS, MAX_WAIT_MS, type RunningAttempt } from "./attempt.js";
import { AuthType, isOAuth } from "./auth-type.js";
import type { EmailValidation } from "./email-validation.js";
import { type Failure, isTypeWanted, reason } from "./failure.js";
import type { IStageStatus } from "./options.js";

/** A request that was refused, or that had no response. */
export interface Refusal {
  readonly error: unknown;
  readonly failure: Failure;
  readonly auth: AuthDict | null;
  readonly background: boolean;
}

/** What a check needs of the authentication. */
interface Check {
  readonly attempt: RunningAttempt;
  readonly poll: () => Promise<void>;
  /** Whether the stage is still the one to check. */
  readonly isWanted: () => boolean;
  readonly notify: (status: IStageStatus) => void;
}

/** How the homeserver is asked about a stage that is completed elsewhere: with what, and how soon. */
export class StagePolling {
  readonly #email: EmailValidation;
  /** Credentials of stages that are verified elsewhere; polls send them again. */
  readonly #credentials = new Map<string, unknown>();
  readonly #oauthForms = new OAuthPollBodies();
  /** When the homeserver has asked to wait, and until when. A clock that is set back ends the wait. */
  #limitedAt = 0;
  #notBefore = 0;
  /** Whether the last poll failed, and that was reported. */
  failed = false;
  /** The stage at which the homeserver takes no poll: only a user's check asks it again. */
  #refusing: string | undefined;

  constructor(email: EmailValidation) {
    this.#email = email;
  }

  /** Whether the homeserver takes a poll now. */
  isAllowed(stage: string): boolean {
    return this.#pauseMs <= 0 && stage !== this.#refusing;
  }

  get #pauseMs(): number {
    const now = Date.now();
    return now < this.#limitedAt ? 0 : this.#notBefore - now;
  }

  setCredentials(stage: string, credentials: unknown): void {
    this.#credentials.set(stage, credentials);
  }

  /** Begins anew, for another session. */
  reset(): void {
    this.#credentials.clear();
    this.#refusing = undefined;
  }

  /**
   * What to send; undefined if there is nothing to ask for.
   *
   * @param session The session by itself; null if there is none.
   */
  dictOf(stage: string, session: AuthDict | null): AuthDict | undefined {
    if (isOAuth(stage)) return { ...this.#oauthForms.next(), ...session };
    if (stage !== AuthType.Email && stage !== AuthType.Msisdn) return { ...session };
    const sent = this.#credentials.get(stage);
    const threepid_creds = (stage === AuthType.Email && this.#email.credentials) || sent;
    // Without credentials a fallback page or another device may complete it.
    return threepid_creds ? { type: stage, threepid_creds, ...session } : (session ?? undefined);
  }

  /**
   * Waits out a rate limit silently, and reports once that a server is out of reach or takes no poll.
   *
   * @returns What to report.
   * @throws the error, if it ends the attempt.
   */
  refused(stage: string | undefined, { error, failure, auth }: Refusal): IStageStatus | undefined {
    const { status, errcode, transient, retryAfterMs } = failure;
    if (status === 429) {
      this.#limitedAt = Date.now();
      this.#notBefore = this.#limitedAt + (retryAfterMs ?? FIRST_WAIT_MS);
      return undefined;
    }
    if (status !== undefined && status < 500) {
      if (stage === undefined || status === 401) throw error;
      // Without a code the homeserver has not said that it refuses.
      const isRefusal = !transient && errcode !== undefined;
      if (isRefusal && isOAuth(stage) && this.#oauthForms.drop(auth)) return undefined;
      if (!isOAuth(stage) && isTypeWanted(failure, auth)) this.#refusing = stage;
      else if (isRefusal) throw error;
    }
    if (this.failed) return undefined;
    this.failed = true;
    return reason(failure);
  }

  /**
   * Polls for a user who says that the stage is finished.
   *
   * @returns False if the request failed, or the homeserver still wants it to wait.
   */
  async check({ attempt, poll, isWanted, notify }: Check): Promise<boolean> {
    if (this.failed) notify({});
    if (attempt.isOver()) return false;
    this.failed = false;
    this.#refusing = undefined;
    for (let checks = 0; checks <= MAX_RESENDS && this.#pauseMs <= MAX_WAIT_MS; checks += 1) {
      if (this.#pauseMs > 0) {
        const status = { errcode: "M_LIMIT_EXCEEDED", retryAfterMs: this.#pauseMs };
        await attempt.waitOut(status, notify);
        if (!isWanted()) return false;
        notify({});
      }
      await poll();
      if (this.#pauseMs <= 0) return !this.failed;
    }
    notify({ errcode: "M_LIMIT_EXCEEDED" });
    return false;
  }
}

/**
 * How to ask about an approved {@link AuthType.OAuth}: servers expect one form or the other, so the two
 * are sent in turn.
 */
export class OAuthPollBodies {
  #forms: readonly AuthDict[] = [{}, { type: AuthType.OAuth }];

  next(): AuthDict {
    const [form = {}, ...others] = this.#forms;
    this.#forms = [...others, form];
    return form;
  }

  /** Forgets a form that the homeserver does not know. @returns Whether another is left to try. */
  drop(refused: AuthDict | null): boolean {
    if (this.#forms.length < 2) return false;
    this.#forms = this.#forms.filter(({ type }) => type !== refused?.type);
    return true;
  }
}
