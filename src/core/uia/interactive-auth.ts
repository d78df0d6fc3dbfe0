import type { AuthDict } from "../shared/auth-dict.js";
import { Attempt, BusyTracker, retryRateLimited } from "./attempt.js";
import { AuthType } from "./auth-type.js";
import { EmailValidation } from "./email-validation.js";
import { UiaError } from "./errors.js";
import { type AuthFlow, isUnusableSession, readFailure, reason } from "./failure.js";
import { FlowProgress } from "./flow.js";
import type { InteractiveAuthOptions, IStageStatus } from "./options.js";
import { type Refusal, StagePolling } from "./polling.js";

/**
 * Takes one request through User-Interactive Authentication: makes it, reports each stage that the
 * homeserver asks for, and sends what is submitted, one request at a time, until it succeeds.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-authentication-api
 */
export class InteractiveAuth<T> {
  readonly #options: InteractiveAuthOptions<T>;
  readonly #email: EmailValidation;
  readonly #progress: FlowProgress;
  #attempt: Attempt<T> | undefined;
  #stage: string | undefined;
  /** The session is used up or leads nowhere: the next attempt starts a new one. */
  #sessionUsedUp = false;
  readonly #busy: BusyTracker;
  readonly #polling: StagePolling;

  constructor(options: InteractiveAuthOptions<T>) {
    this.#options = options;
    this.#busy = new BusyTracker((busy) => options.busyChanged?.(busy));
    this.#email = new EmailValidation(options, {
      busy: this.#busy,
      attempt: () => this.#attempt,
      session: () => this.#progress.state.id,
      notify: (status) => {
        if (this.#stage === AuthType.Email) this.#notify(status);
      },
    });
    this.#polling = new StagePolling(this.#email);
    this.#progress = new FlowProgress(options, this.#email);
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
    // Before the outcome is reported.
    attempt.over.addEventListener("abort", () => {
      this.#attempt = this.#stage = undefined;
      this.#busy.end();
    });
    if (this.#sessionUsedUp) {
      this.#progress.forget();
      this.#email.sid = undefined;
      this.#polling.reset();
    }
    this.#sessionUsedUp = false;
    signal?.addEventListener("abort", () => this.cancel(signal.reason), { signal: attempt.over });
    const begin = (): Promise<void> =>
      this.#progress.state.flows.length > 0
        ? this.#advance(attempt, {})
        : this.#request(attempt, this.#progress.resumption);
    if (signal?.aborted) this.cancel(signal.reason);
    else this.#enqueue(attempt, begin).catch((error: unknown) => attempt.reject(error));
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
    const run = (): Promise<void> =>
      this.#request(attempt, this.#progress.withSession(authDict), background);
    await this.#enqueue(attempt, run, background);
  }

  /**
   * Asks whether a stage was completed elsewhere: a link followed, a fallback page finished. It does
   * nothing if there is nothing to poll for, another request is running, or the homeserver has asked to
   * wait. It never rejects, and resolves once the response has been handled.
   */
  async poll(): Promise<void> {
    const attempt = this.#attempt;
    const stage = this.#stage;
    if (!attempt || !stage || attempt.occupied || !this.#polling.isAllowed(stage)) return;
    const run = async (): Promise<void> => {
      const auth = this.#polling.dictOf(stage, this.#progress.resumption);
      if (auth) await this.#request(attempt, auth, true);
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
    return this.#polling.check({
      attempt,
      poll: () => this.poll(),
      isWanted: () => !attempt.isOver() && this.#stage === stage,
      notify: this.#notify,
    });
  }

  /** Ends the attempt: `attemptAuth()` rejects with `cancelled`, and `reason` as its cause. */
  cancel(reason?: unknown): void {
    if (!this.#attempt) return;
    this.#sessionUsedUp = true;
    this.#attempt.reject(new UiaError("cancelled", "The authentication was cancelled", reason));
  }

  /** The homeserver's session; null before its first response, or if it has none. */
  getSessionId(): string | null {
    return this.#progress.state.id;
  }

  /** What the homeserver sent with a stage: a captcha's key, the policies, an address. */
  getStageParams(type: string): unknown {
    return this.#progress.state.params.get(type);
  }

  /** The flow that was chosen. */
  getChosenFlow(): AuthFlow | undefined {
    return this.#progress.flow;
  }

  /** The flow that the user can choose in place of it, which goes on with another stage; undefined if there is none. */
  getOtherFlow(): AuthFlow | undefined {
    return this.#progress.otherFlow;
  }

  /** Goes on with the other flow, in the same session. The order of the flows is a guess: users know what they have. */
  async chooseOtherFlow(): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) return;
    await this.#enqueue(attempt, async () => {
      this.#progress.chooseOtherFlow();
      await this.#advance(attempt, {});
    });
  }

  /** The stages that are completed so far. */
  getCompletedStages(): ReadonlySet<string> {
    return this.#progress.state.completed;
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
    this.#polling.setCredentials(type, credentials);
  }

  /**
   * Has the verification message sent, or sent again. While one is being requested, it waits for that
   * one, and requests another only if that is for another address.
   *
   * @param address Default: the last one that was given.
   * @throws {UiaError} `email_missing`, `validation_invalid`.
   * @throws whatever `requestEmailToken` of the options rejects with.
   */
  readonly requestEmailToken = (address?: string): Promise<void> => this.#email.send(address);

  async #request(attempt: Attempt<T>, auth: AuthDict | null, background = false): Promise<void> {
    if (attempt.isOver()) return;
    try {
      const result = await retryRateLimited(
        () => this.#options.doRequest(auth, background),
        async (status) => !background && attempt.waitOut(status, this.#notify),
      );
      this.#sessionUsedUp ||= attempt === this.#attempt;
      attempt.resolve(result);
    } catch (error) {
      if (attempt.isOver()) return;
      const failure = readFailure(error);
      await this.#refused(attempt, { error, failure, auth, background });
    }
  }

  /** Handles a request that failed. Whatever this throws becomes the outcome of the attempt. */
  async #refused(attempt: Attempt<T>, refusal: Refusal): Promise<void> {
    const { error, failure, auth, background } = refusal;
    const challenge = failure.challenge ?? this.#progress.repeatedBy(failure);
    if (challenge) {
      const isOther = this.#progress.apply(challenge);
      // A poll's 401 only means that the stage is not completed yet, whatever it says: not an error to show.
      const status = background ? {} : reason(challenge);
      return this.#advance(attempt, status, background && !isOther, error);
    }
    if (auth?.session && !attempt.restarted && isUnusableSession(failure, auth, this.#stage)) {
      return this.#restart(attempt, auth, background);
    }
    if (!background) throw error;
    const status = this.#polling.refused(this.#stage, refusal);
    if (status) this.#notify(status);
  }

  /** Continues with the next stage. */
  async #advance(
    attempt: Attempt<T>,
    status: IStageStatus,
    background?: boolean,
    cause?: unknown,
  ): Promise<void> {
    const next = this.#progress.next();
    if (next === undefined) {
      this.#sessionUsedUp = true;
      throw new UiaError("flow_exhausted", "Every stage is completed, but not enough", cause);
    }
    if (next === AuthType.Dummy) return this.#submitDummy(attempt, cause);
    const changed = next !== this.#stage;
    // Of a new session, the first stage says so.
    const restarted = attempt.restarted && this.#stage === undefined;
    this.#stage = next;
    if (!background || changed || this.#polling.failed) {
      this.#polling.failed = false;
      this.#notify(restarted ? { restarted, ...status } : status);
    }
    // If the listener has cancelled, there is no stage any more.
    if (changed && this.#stage === AuthType.Email) this.#email.begin(attempt);
  }

  /** Submits the stage that asks for nothing; once, as a homeserver that refuses it would refuse it again. */
  async #submitDummy(attempt: Attempt<T>, cause: unknown): Promise<void> {
    if (attempt.dummySent) {
      throw new UiaError("dummy_refused", "The homeserver refuses m.login.dummy", cause);
    }
    attempt.dummySent = true;
    const auth = { type: AuthType.Dummy };
    await this.#busy.during(() => this.#request(attempt, this.#progress.withSession(auth)));
  }

  /** Starts a new session in place of one that the homeserver has forgotten; once. */
  async #restart(attempt: Attempt<T>, submitted: AuthDict, background: boolean): Promise<void> {
    this.#progress.forget();
    this.#stage = undefined;
    attempt.restarted = true;
    attempt.dummySent = false;
    await this.#busy.during(async () => {
      await this.#request(attempt, null);
      // Send what was typed again.
      if (submitted.type === this.#stage) {
        await this.#request(attempt, this.#progress.withSession(submitted), background);
      }
    });
  }

  /** Reports the stage's status; nothing before the first stage or after the end. */
  readonly #notify = (status: IStageStatus): void => {
    if (this.#stage === undefined) return;
    try {
      this.#options.stateUpdated(this.#stage, { ...status, ...this.#email.statusAt(this.#stage) });
    } catch (error) {
      this.#attempt?.reject(error);
    }
  };

  #enqueue(attempt: Attempt<T>, run: () => Promise<void>, background = false): Promise<void> {
    const turn = (): Promise<void> => attempt.enqueue(run);
    return background ? turn() : this.#busy.during(turn);
  }
}
