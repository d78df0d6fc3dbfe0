import type { AuthDict } from "../auth-dict.js";
import type { RunningAttempt } from "./attempt.js";
import { AuthType, isOAuth } from "./auth-type.js";
import { reason, type Failure } from "./challenge.js";
import type { EmailValidation } from "./email-validation.js";
import type { IStageStatus } from "./interactive-auth-options.js";
import { OAuthPollBodies } from "./oauth-poll-bodies.js";
import { FIRST_WAIT_MS, MAX_RESENDS, MAX_WAIT_MS } from "./rate-limit.js";

/** A request that was refused, or that had no response. */
export interface Refusal {
  readonly error: unknown;
  readonly failure: Failure;
  readonly auth: AuthDict | null;
  readonly background: boolean;
  /** What to report in addition. */
  readonly statusUpdate: IStageStatus;
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
  #notBefore = 0;
  /** Whether the last poll failed, and that was reported. */
  failed = false;

  constructor(email: EmailValidation) {
    this.#email = email;
  }

  /** Whether the homeserver has not asked to wait. */
  get allowed(): boolean {
    return this.#pauseMs <= 0;
  }

  get #pauseMs(): number {
    return this.#notBefore - Date.now();
  }

  setCredentials(stage: string, credentials: unknown): void {
    this.#credentials.set(stage, credentials);
  }

  forgetCredentials(): void {
    this.#credentials.clear();
  }

  /** What to send; undefined if there is nothing to ask for. */
  dictOf(stage: string): AuthDict | undefined {
    if (isOAuth(stage)) return this.#oauthForms.next();
    if (stage !== AuthType.Email && stage !== AuthType.Msisdn) return {};
    // The session by itself never completes these.
    const sent = this.#credentials.get(stage);
    const threepid_creds = (stage === AuthType.Email && this.#email.credentials) || sent;
    return threepid_creds ? { type: stage, threepid_creds } : undefined;
  }

  /**
   * Waits out a rate limit silently, and reports once that a server is out of reach.
   *
   * @returns What to report.
   * @throws the error, if it ends the attempt.
   */
  refused(stage: string | undefined, { error, failure, auth }: Refusal): IStageStatus | undefined {
    const { status, retryAfterMs } = failure;
    if (status === 429) {
      this.#notBefore = Date.now() + (retryAfterMs ?? FIRST_WAIT_MS);
    } else if (status !== undefined && status < 500) {
      const mayBeForm = status !== 401 && stage !== undefined && isOAuth(stage);
      if (!mayBeForm || !this.#oauthForms.drop(auth)) throw error;
    } else if (!this.failed) {
      this.failed = true;
      return reason(failure);
    }
    return undefined;
  }

  /**
   * Polls for a user who says that the stage is finished.
   *
   * @returns False if the request failed, or the homeserver still wants it to wait.
   */
  async check({ attempt, poll, isWanted, notify }: Check): Promise<boolean> {
    if (this.failed) notify({});
    this.failed = false;
    for (let checks = 0; checks <= MAX_RESENDS && this.#pauseMs <= MAX_WAIT_MS; checks += 1) {
      if (!this.allowed) {
        notify({ errcode: "M_LIMIT_EXCEEDED", retryAfterMs: this.#pauseMs });
        await attempt.pause(this.#pauseMs);
        if (!isWanted()) return false;
        notify({});
      }
      await poll();
      if (this.allowed) return !this.failed;
    }
    notify({ errcode: "M_LIMIT_EXCEEDED" });
    return false;
  }
}
