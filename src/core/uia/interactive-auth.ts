import type { AuthDict } from "../auth-dict.js";
import { Attempt } from "./attempt.js";
import { AuthType, isOAuth } from "./auth-type.js";
import { BusyTracker } from "./busy-tracker.js";
import {
  isUnknownSession,
  readChallenge,
  readFailure,
  reason,
  type AuthFlow,
  type Challenge,
  type Failure,
} from "./challenge.js";
import { EmailValidation } from "./email-validation.js";
import { UiaError } from "./errors.js";
import { chooseFlow, nextStage } from "./flow-choice.js";
import type { IStageStatus, InteractiveAuthOptions } from "./interactive-auth-options.js";
import { OAuthPollBodies } from "./oauth-poll-bodies.js";
import {
  FIRST_WAIT_MS,
  MAX_RESENDS,
  MAX_WAIT_MS,
  retryRateLimited,
  waitBefore,
} from "./rate-limit.js";
import { applyChallenge, noProgress, sameFlows, type UiaProgress } from "./uia-progress.js";

/**
 * Takes one request through User-Interactive Authentication: makes it, reports each stage that the
 * homeserver asks for, and sends what is submitted, one request at a time, until it succeeds.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#user-interactive-authentication-api
 */
export class InteractiveAuth<T> {
  readonly #options: InteractiveAuthOptions<T>;
  readonly #email: EmailValidation;
  #state: UiaProgress;
  #attempt: Attempt<T> | undefined;
  #flow: AuthFlow | undefined;
  #stage: string | undefined;
  /** The session is used up or leads nowhere: the next attempt starts a new one. */
  #sessionUsedUp = false;
  #restarted = false;
  #dummySent = false;
  #pollNotBefore = 0;
  #pollFailed = false;
  /** Credentials of stages that are verified elsewhere; polls send them again. */
  readonly #threepidCreds = new Map<string, unknown>();
  readonly #oauthForms = new OAuthPollBodies();
  readonly #busy: BusyTracker;
  #emailRequest: Promise<void> | undefined;

  constructor(options: InteractiveAuthOptions<T>) {
    const { authData, sessionId } = options;
    this.#options = options;
    this.#email = new EmailValidation(options);
    this.#busy = new BusyTracker((busy) => options.busyChanged?.(busy));
    this.#state = noProgress(sessionId);
    const challenge = authData ? readChallenge({ ...authData }) : undefined;
    if (challenge) {
      this.#state = applyChallenge(this.#state, {
        ...challenge,
        session: sessionId ?? challenge.session,
      });
    }
  }

  /**
   * Makes the request and takes it through its stages. While an attempt is running, it returns the
   * same promise. After a failure it resumes the session; after a success, `cancel()` or
   * `flow_exhausted` it starts a new one, and a new validation of an address.
   *
   * @returns What the request resolves with.
   * @throws {NoAuthFlowFoundError} if no flow can use the inputs.
   * @throws {UiaError} `cancelled`, `flow_exhausted`, `dummy_refused`.
   * @throws whatever `doRequest` rejects with, unless that asks for a stage.
   */
  attemptAuth(): Promise<T> {
    if (this.#attempt) return this.#attempt.promise;
    const { signal } = this.#options;
    const attempt = new Attempt<T>();
    this.#attempt = attempt;
    attempt.over.addEventListener("abort", () => this.#ended());
    if (this.#sessionUsedUp) {
      this.#forgetSession();
      this.#email.sid = undefined;
      this.#threepidCreds.clear();
    }
    this.#dummySent = this.#restarted = this.#sessionUsedUp = false;
    signal?.addEventListener("abort", () => this.cancel(signal.reason), { signal: attempt.over });
    if (signal?.aborted) {
      this.cancel(signal.reason);
      return attempt.promise;
    }
    this.#enqueue(attempt, () =>
      this.#state.flows.length > 0
        ? this.#advance(attempt, {})
        : this.#request(attempt, this.#state.id === null ? null : this.#auth({})),
    ).catch((error: unknown) => attempt.reject(error));
    return attempt.promise;
  }

  /**
   * Submits what a stage asks for; the session is added. It resolves once the homeserver's response has
   * been handled, even if that was a refusal: `stateUpdated` reports it.
   *
   * @param background Nobody is waiting, as with a poll: `busyChanged` is not called, a refusal is not
   *   reported, and nothing is sent again after a 429.
   * @throws {UiaError} `not_attempting`.
   */
  async submitAuthDict(authDict: AuthDict, background = false): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) {
      throw new UiaError("not_attempting", "submitAuthDict() called before attemptAuth()");
    }
    const { type, threepid_creds: credentials } = authDict;
    if (type !== undefined && credentials) this.setThreepidCreds(type, credentials);
    await this.#enqueue(
      attempt,
      () => this.#request(attempt, this.#auth(authDict), background),
      background,
    );
  }

  /**
   * Asks whether a stage was completed elsewhere: a link followed, a fallback page finished. It does
   * nothing if there is nothing to poll for, another request is running, or the homeserver has asked to
   * wait. It never rejects, and resolves once the response has been handled.
   */
  async poll(): Promise<void> {
    const attempt = this.#attempt;
    const stage = this.#stage;
    if (!attempt || !stage || attempt.occupied || Date.now() < this.#pollNotBefore) return;
    const run = async (): Promise<void> => {
      const auth = this.#pollDict(stage);
      if (auth) await this.#request(attempt, this.#auth(auth), true);
    };
    await this.#enqueue(attempt, run, true);
  }

  /**
   * Like `poll()`, for a user who says that the stage is finished: it waits out rate limits, but not
   * for longer than a user would, and reports every failure.
   *
   * @returns False if the request failed, or the homeserver still wants it to wait.
   */
  async check(): Promise<boolean> {
    const attempt = this.#attempt;
    const stage = this.#stage;
    if (!attempt) return false;
    if (this.#pollFailed) this.#notify({});
    this.#pollFailed = false;
    const pauseMs = (): number => this.#pollNotBefore - Date.now();
    for (let checks = 0; checks <= MAX_RESENDS && pauseMs() <= MAX_WAIT_MS; checks += 1) {
      if (pauseMs() > 0) {
        this.#notify({ errcode: "M_LIMIT_EXCEEDED", retryAfterMs: pauseMs() });
        await attempt.pause(pauseMs());
        if (attempt.isOver() || this.#stage !== stage) return false;
        this.#notify({});
      }
      await this.poll();
      if (pauseMs() <= 0) return !this.#pollFailed;
    }
    this.#notify({ errcode: "M_LIMIT_EXCEEDED" });
    return false;
  }

  /** Ends the attempt: `attemptAuth()` rejects with `cancelled`, and `reason` as its cause. */
  cancel(reason?: unknown): void {
    if (!this.#attempt) return;
    this.#sessionUsedUp = true;
    this.#attempt.reject(new UiaError("cancelled", "The authentication was cancelled", reason));
  }

  /** The homeserver's session; null before its first response, or if it has none. */
  getSessionId(): string | null {
    return this.#state.id;
  }

  /** What the homeserver sent with a stage: a captcha's key, the policies, an address. */
  getStageParams(type: string): unknown {
    return this.#state.params.get(type);
  }

  /** The flow that was chosen. */
  getChosenFlow(): AuthFlow | undefined {
    return this.#flow;
  }

  /** The stages that are completed so far. */
  getCompletedStages(): ReadonlySet<string> {
    return this.#state.completed;
  }

  /** The secret that binds verification messages to this object. */
  getClientSecret(): string {
    return this.#email.secret;
  }

  /** The `sid` of the email validation, once a message was sent. */
  getEmailSid(): string | undefined {
    return this.#email.sid;
  }

  /** Sets the `sid` of a message that was sent by other means. */
  setEmailSid(sid: string): void {
    this.#email.sid = sid;
  }

  /** Sets the credentials of a validation that was begun elsewhere, for polls to send; undefined: none. */
  setThreepidCreds(type: string, credentials: unknown): void {
    this.#threepidCreds.set(type, credentials);
  }

  /**
   * Has the verification message sent, or sent again. While one is being requested, it waits for that
   * one, and requests another only if that is for another address.
   *
   * @param address Default: the last one that was given.
   * @throws {UiaError} `email_missing`, `validation_invalid`.
   * @throws whatever `requestEmailToken` of the options rejects with.
   */
  readonly requestEmailToken = (address?: string): Promise<void> => {
    const before = this.#emailRequest;
    if (before && (address ?? this.#email.address) === this.#email.address) return before;
    const request = this.#busy
      .during(async () => {
        if (before) await before.catch(() => undefined);
        await this.#sendMail(address);
        if (this.#stage === AuthType.Email) this.#notify({});
      })
      .finally(() => {
        if (this.#emailRequest === request) this.#emailRequest = undefined;
      });
    this.#emailRequest = request;
    return request;
  };

  #sendMail(address: string | undefined): Promise<void> {
    const attempt = this.#attempt;
    return retryRateLimited(
      () => this.#email.request(this.#state.id, address),
      async (ms, failure) => {
        if (!attempt || attempt.isOver()) return false;
        if (this.#stage === AuthType.Email) this.#notify({ ...reason(failure), retryAfterMs: ms });
        await attempt.pause(ms);
        return !attempt.isOver();
      },
    );
  }

  async #request(
    attempt: Attempt<T>,
    auth: AuthDict | null,
    background = false,
    statusUpdate: IStageStatus = {},
  ): Promise<void> {
    for (let resends = 0; !attempt.isOver(); resends += 1) {
      try {
        const result = await this.#options.doRequest(auth, background);
        this.#sessionUsedUp ||= attempt === this.#attempt;
        return attempt.resolve(result);
      } catch (error) {
        if (attempt.isOver()) return;
        const failure = readFailure(error);
        const wait = background ? undefined : waitBefore(failure, resends);
        if (wait === undefined) {
          return this.#refused(attempt, { error, failure, auth, background, statusUpdate });
        }
        this.#notify({ ...reason(failure), retryAfterMs: wait });
        await attempt.pause(wait);
      }
    }
  }

  /** Handles a request that failed. Whatever this throws becomes the outcome of the attempt. */
  async #refused(attempt: Attempt<T>, refusal: Refusal): Promise<void> {
    const { error, failure, auth, background } = refusal;
    if (failure.challenge) return this.#challenged(attempt, failure.challenge, refusal);
    if (isUnknownSession(failure) && auth?.session && !this.#restarted) {
      return this.#restart(attempt, auth, background);
    }
    if (!background) throw error;
    this.#pollRefused(refusal);
  }

  #challenged(
    attempt: Attempt<T>,
    challenge: Challenge,
    { error, background, statusUpdate }: Refusal,
  ): Promise<void> {
    const before = this.#state;
    this.#state = applyChallenge(before, challenge);
    if (!sameFlows(before, this.#state)) this.#flow = undefined;
    // A poll's 401 only means that the stage is not completed yet, whatever it says: not an error to show.
    const status = background ? {} : reason(challenge);
    return this.#advance(attempt, { ...statusUpdate, ...status }, background, error);
  }

  /** Waits out a rate limit silently, and reports once that a server is out of reach. */
  #pollRefused({ error, failure, auth }: Refusal): void {
    const { status, retryAfterMs } = failure;
    if (status === 429) {
      this.#pollNotBefore = Date.now() + (retryAfterMs ?? FIRST_WAIT_MS);
    } else if (status !== undefined && status < 500) {
      const mayBeForm = status !== 401 && this.#stage !== undefined && isOAuth(this.#stage);
      if (!mayBeForm || !this.#oauthForms.drop(auth)) throw error;
    } else if (!this.#pollFailed) {
      this.#pollFailed = true;
      this.#notify(reason(failure));
    }
  }

  /** Continues with the next stage. */
  async #advance(
    attempt: Attempt<T>,
    status: IStageStatus,
    background?: boolean,
    cause?: unknown,
  ): Promise<void> {
    const { flows, completed } = this.#state;
    let next = this.#flow && nextStage(this.#flow, completed);
    if (next === undefined) {
      const { inputs = {}, supportedStages } = this.#options;
      // An address that is or was being verified counts as given.
      const emailAddress = this.#email.address ?? this.#email.sid;
      const choice = { inputs: { ...inputs, emailAddress }, supportedStages, completed };
      this.#flow = chooseFlow(flows, choice);
      next = nextStage(this.#flow, completed);
    }
    if (next === undefined) {
      this.#sessionUsedUp = true;
      throw new UiaError("flow_exhausted", "Every stage is completed, but not enough", cause);
    }
    if (next === AuthType.Dummy) return this.#submitDummy(attempt, cause);
    const changed = next !== this.#stage;
    this.#stage = next;
    if (!background || changed || this.#pollFailed) {
      this.#pollFailed = false;
      this.#notify(status);
    }
    // If the listener has cancelled, there is no stage any more.
    if (changed && this.#stage === AuthType.Email && this.#email.address && !this.#email.sid) {
      this.requestEmailToken()
        .catch((error: unknown) => {
          if (!attempt.isOver() && this.#stage === next) this.#notify(reason(readFailure(error)));
        })
        .catch((error: unknown) => attempt.reject(error));
    }
  }

  /** Submits the stage that asks for nothing; once, as a homeserver that refuses it would refuse it again. */
  async #submitDummy(attempt: Attempt<T>, cause: unknown): Promise<void> {
    if (this.#dummySent) {
      throw new UiaError("dummy_refused", "The homeserver refuses m.login.dummy", cause);
    }
    this.#dummySent = true;
    const auth = this.#auth({ type: AuthType.Dummy });
    await this.#busy.during(() => this.#request(attempt, auth));
  }

  /** Starts a new session in place of one that the homeserver has forgotten; once. */
  async #restart(attempt: Attempt<T>, submitted: AuthDict, background: boolean): Promise<void> {
    this.#forgetSession();
    this.#restarted = true;
    await this.#busy.during(async () => {
      await this.#request(attempt, null, false, { restarted: true });
      // Send what was typed again.
      if (submitted.type === this.#stage) {
        await this.#request(attempt, this.#auth(submitted), background);
      }
    });
  }

  #forgetSession(): void {
    this.#state = noProgress();
    this.#flow = this.#stage = undefined;
    this.#dummySent = false;
  }

  #auth(authDict: AuthDict): AuthDict {
    const { id } = this.#state;
    return { ...authDict, ...(id !== null && { session: id }) };
  }

  #pollDict(stage: string): AuthDict | undefined {
    if (isOAuth(stage)) return this.#oauthForms.next();
    if (stage !== AuthType.Email && stage !== AuthType.Msisdn) return {};
    // The session by itself never completes these.
    const sent = this.#threepidCreds.get(stage);
    const threepid_creds = (stage === AuthType.Email && this.#email.credentials) || sent;
    return threepid_creds ? { type: stage, threepid_creds } : undefined;
  }

  /** Reports the stage's status; nothing before the first stage or after the end. */
  #notify(status: IStageStatus): void {
    if (this.#stage === undefined) return;
    const emailSid = this.#stage === AuthType.Email ? this.#email.sid : undefined;
    this.#options.stateUpdated(this.#stage, {
      ...status,
      ...(emailSid !== undefined && { emailSid }),
    });
  }

  #enqueue(attempt: Attempt<T>, run: () => Promise<void>, background = false): Promise<void> {
    const turn = (): Promise<void> => attempt.enqueue(run);
    return background ? turn() : this.#busy.during(turn);
  }

  /** Runs before the outcome is reported. */
  #ended(): void {
    this.#attempt = this.#stage = undefined;
    this.#busy.end();
  }
}

interface Refusal {
  readonly error: unknown;
  readonly failure: Failure;
  readonly auth: AuthDict | null;
  readonly background: boolean;
  /** What to report in addition. */
  readonly statusUpdate: IStageStatus;
}
