import { wait } from "../http/wait.js";
import {
  type AuthDict,
  type AuthFlow,
  AuthType,
  type InteractiveAuthOptions,
  type IStageStatus,
} from "./options.js";
import {
  Attempt,
  BusyTracker,
  MAX_RESEND_WAIT_MS,
  MAX_RESENDS,
  retryRateLimited,
} from "./attempt.js";
import { EmailValidation } from "./email-validation.js";
import { UiaError } from "./errors.js";
import {
  failureStatus,
  isUnusableSession,
  mayBeForgotten,
  readFailure,
  whileSending,
  saysNotYet,
} from "./failure.js";
import { FlowProgress } from "./flow.js";
import { StagePolling } from "./polling.js";

/**
 * Completes User-Interactive Authentication for one request: it sends the request, reports each
 * stage that the homeserver requires, and sends the submissions one at a time until the request
 * succeeds.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-authentication-api
 */
export class InteractiveAuth<T> {
  readonly #options: InteractiveAuthOptions<T>;
  readonly #email: EmailValidation;
  #progress: FlowProgress;
  #attempt: Attempt<T> | undefined;
  #stage: string | undefined;
  #sessionUsedUp = false;
  readonly #busy: BusyTracker;
  readonly #polling = new StagePolling();
  /** The last request for an email, while it is running. */
  #sending: { readonly address: string | undefined; readonly sent: Promise<void> } | undefined;

  constructor(options: InteractiveAuthOptions<T>) {
    this.#options = options;
    this.#busy = new BusyTracker((busy) => options.busyChanged?.(busy));
    this.#email = new EmailValidation(options);
    this.#progress = new FlowProgress(options, options);
  }

  /**
   * Sends the request and completes its stages. While an attempt is running, it returns the same
   * promise. After a failure it resumes the session. After a success, `cancel()` or
   * `flow_exhausted` it starts a new session, and a new validation of an address.
   *
   * @returns The result of the request.
   * @throws {NoAuthFlowFoundError} if no flow can use the inputs.
   * @throws {UiaError} `cancelled`, `flow_exhausted`, `dummy_refused`.
   * @throws the error of `doRequest`, unless it requires a stage.
   */
  attemptAuth(): Promise<T> {
    if (this.#attempt) return this.#attempt.promise;
    const { signal } = this.#options;
    const attempt = new Attempt<T>();
    this.#attempt = attempt;
    // This listener runs before the outcome is reported.
    attempt.over.addEventListener("abort", () => {
      this.#attempt = this.#stage = undefined;
      this.#busy.end();
    });
    if (this.#sessionUsedUp) {
      this.#progress = new FlowProgress(this.#options);
      this.#email.sid = undefined;
      this.#polling.reset();
    }
    this.#sessionUsedUp = false;
    signal?.addEventListener("abort", () => this.cancel(signal.reason), { signal: attempt.over });
    const begin = () =>
      this.#progress.flows.length > 0
        ? this.#advance(attempt, {})
        : this.#request(attempt, this.#progress.resumption);
    if (signal?.aborted) this.cancel(signal.reason);
    else this.#enqueue(attempt, begin).catch((error: unknown) => attempt.reject(error));
    return attempt.promise;
  }

  /**
   * Submits a stage's dictionary, with the session. It resolves once the homeserver's response has
   * been handled. A rejection is reported through `stateUpdated`.
   *
   * @param background Whether no user is waiting, as with a poll: `busyChanged` is not called,
   *   rejections are not reported, and the request is not repeated after a 429.
   * @throws {UiaError} `not_attempting`.
   */
  async submitAuthDict(authDict: AuthDict, background = false): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) {
      throw new UiaError("not_attempting", "submitAuthDict() called before attemptAuth()");
    }
    const { type, threepid_creds: credentials } = authDict;
    if (type !== undefined && credentials) this.setThreepidCreds(type, credentials);
    const run = () => this.#request(attempt, authDict, background);
    await this.#enqueue(attempt, run, background);
  }

  /**
   * Checks whether a stage was completed elsewhere, through a link or a fallback page. Does nothing
   * if there is nothing to poll for, if another request is running, or if the homeserver has
   * requested a delay. It never rejects, and resolves once the response has been handled.
   */
  async poll(): Promise<void> {
    const attempt = this.#attempt;
    const stage = this.#stage;
    if (!attempt || !stage || attempt.pending > 0 || !this.#polling.isAllowed(stage)) return;
    const run = async () => {
      const { credentials } = this.#email;
      const auth = this.#polling.dictOf(stage, this.#progress.resumption, credentials);
      if (auth) await this.#request(attempt, auth, true);
    };
    await this.#enqueue(attempt, run, true);
  }

  /**
   * Like `poll()`, but for a user who confirms that the stage is finished. It waits for rate limits
   * of up to five minutes, and reports every failure.
   *
   * @returns False if the request failed, or the rate limit continues.
   */
  async check(): Promise<boolean> {
    const attempt = this.#attempt;
    const stage = this.#stage;
    const polling = this.#polling;
    if (!attempt) return false;
    if (polling.failed) this.#notify({});
    if (attempt.isOver()) return false;
    polling.beginCheck();
    for (let checks = 0; checks <= MAX_RESENDS; checks += 1) {
      if (polling.pauseMs > MAX_RESEND_WAIT_MS) break;
      if (polling.pauseMs > 0) {
        const retryAfterMs = polling.pauseMs;
        this.#notify({ ...polling.limit, retryAfterMs });
        await wait(retryAfterMs, attempt.over).catch(() => undefined);
        if (attempt.isOver() || this.#stage !== stage) return false;
        this.#notify({});
      }
      await this.poll();
      if (polling.pauseMs <= 0) return !polling.failed;
    }
    this.#notify(polling.limit);
    return false;
  }

  /** The homeserver's message, if a check fails for a reason other than an incomplete stage. */
  getCheckMessage(): string | undefined {
    return this.#polling.unfinished;
  }

  /** Ends the attempt: `attemptAuth()` rejects with `cancelled`, and `reason` as its cause. */
  cancel(reason?: unknown): void {
    if (!this.#attempt) return;
    this.#sessionUsedUp = true;
    this.#attempt.reject(new UiaError("cancelled", "The authentication was cancelled", reason));
  }

  /** The homeserver's session. Null before its first response, or if it has no session. */
  getSessionId(): string | null {
    return this.#progress.id;
  }

  /** The homeserver's parameters for a stage, such as a captcha's key, or policies. */
  getStageParams(type: string): unknown {
    return this.#progress.params.get(type);
  }

  /** The flow that was chosen. */
  getChosenFlow(): AuthFlow | undefined {
    return this.#progress.flow;
  }

  /** Another flow that the user can choose, if there is one. It continues with another stage. */
  getOtherFlow(): AuthFlow | undefined {
    return this.#progress.otherFlow;
  }

  /** Continues with the other flow, in the same session. */
  async chooseOtherFlow(): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) return;
    await this.#enqueue(attempt, async () => {
      this.#progress.flow = this.getOtherFlow() ?? this.#progress.flow;
      await this.#advance(attempt, {});
    });
  }

  /** The completed stages. */
  getCompletedStages(): ReadonlySet<string> {
    return this.#progress.completed;
  }

  /** The secret that binds verification messages to this object. */
  getClientSecret(): string {
    return this.#email.secret;
  }

  /** The `sid` of the email validation, once a message was sent. */
  getEmailSid(): string | undefined {
    return this.#email.sid;
  }

  /** Sets the `sid` of a message that other code has requested. */
  setEmailSid(sid: string): void {
    this.#email.sid = sid;
  }

  /** Sets credentials for polls of a validation that started elsewhere; undefined removes them. */
  setThreepidCreds(type: string, credentials: unknown): void {
    this.#polling.credentials.set(type, credentials);
  }

  /**
   * Requests a verification message. While a request is running, it sends another only for a
   * different address.
   *
   * @param given The address. Default: the last one.
   * @throws {UiaError} `email_missing`, `validation_invalid`.
   * @throws the error of the option `requestEmailToken`.
   */
  readonly requestEmailToken = (given?: string): Promise<void> => {
    const before = this.#sending;
    const address = given ?? before?.address ?? this.#email.address;
    if (before && before.address === address) return before.sent;
    const sent = this.#busy
      .during(async () => {
        if (before) await before.sent.catch(() => undefined);
        const request = () => this.#email.request(this.#progress.id, address);
        await retryRateLimited(request, this.#attempt?.over, this.#notifyEmail);
        this.#notifyEmail({});
      })
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined;
      });
    const sending = { address, sent };
    this.#sending = sending;
    return sent;
  };

  /** Requests the first message, if there is an address. A failure becomes the stage's status. */
  #sendFirstEmail(attempt: Attempt<T>): void {
    if (!this.#email.address || this.#email.sid) return;
    this.requestEmailToken().catch((error: unknown) => {
      if (!attempt.isOver()) this.#notifyEmail(failureStatus(readFailure(error)));
    });
  }

  /** Sends the request. Adds the session if there is a dictionary. */
  async #request(attempt: Attempt<T>, dict: AuthDict | null, background = false): Promise<void> {
    if (attempt.isOver()) return;
    const auth = dict && { ...dict, ...this.#progress.resumption };
    try {
      const request = () => whileSending(auth, () => this.#options.doRequest(auth, background));
      const signal = background ? undefined : attempt.over;
      const result = await retryRateLimited(request, signal, this.#notify);
      this.#sessionUsedUp ||= attempt === this.#attempt;
      attempt.resolve(result);
    } catch (error) {
      if (!attempt.isOver()) await this.#handleFailure(attempt, error, auth ?? {}, background);
    }
  }

  async #handleFailure(
    attempt: Attempt<T>,
    error: unknown,
    auth: AuthDict,
    background: boolean,
  ): Promise<void> {
    const failure = readFailure(error);
    const mayRestart = auth.session && !attempt.restarted;
    if (mayRestart && isUnusableSession(failure, auth, this.#stage)) {
      return this.#restart(attempt, auth, background);
    }
    const challenge = failure.challenge ?? this.#progress.repeatedBy(failure);
    if (challenge) {
      const isOther = this.#progress.apply(challenge);
      // A 401 for a poll only means that the stage is not completed yet.
      if (background)
        this.#polling.unfinished = saysNotYet(challenge) ? undefined : challenge.error;
      const status = background ? {} : failureStatus(challenge);
      return this.#advance(attempt, status, background && !isOther, error);
    }
    try {
      if (!background) throw error;
      const status = this.#polling.refused(this.#stage, error, failure, auth);
      if (status) this.#notify(status);
    } catch (ending) {
      // A dummy stage is submitted at once, so its session cannot be forgotten.
      const isForgotten =
        auth.type !== AuthType.Dummy && mayBeForgotten(failure, auth, this.#stage);
      if (!mayRestart || !isForgotten) throw ending;
      await this.#restart(attempt, auth, background);
    }
  }

  async #advance(
    attempt: Attempt<T>,
    status: IStageStatus,
    background?: boolean,
    cause?: unknown,
  ): Promise<void> {
    // An address whose validation has started counts as a given address.
    const next = this.#progress.next(this.#email.address ?? this.#email.sid);
    if (next === undefined) {
      this.#sessionUsedUp = true;
      const message = "Every stage is complete, but the homeserver requires more";
      throw Object.assign(new UiaError("flow_exhausted", message, cause), { reason: status.error });
    }
    if (next === AuthType.Dummy) return this.#submitDummy(attempt, status, cause);
    const changed = next !== this.#stage;
    // Only the first stage of a new session reports the restart.
    const restarted = attempt.restarted && this.#stage === undefined;
    this.#stage = next;
    if (!background || changed || this.#polling.failed) {
      this.#polling.failed = false;
      this.#notify(restarted ? { restarted, ...status } : status);
    }
    // The listener might have cancelled the attempt.
    if (changed && this.#stage === AuthType.Email) this.#sendFirstEmail(attempt);
  }

  /**
   * Submits the stage without user input. It does so only once, because the homeserver would reject
   * it again.
   */
  async #submitDummy(attempt: Attempt<T>, { error }: IStageStatus, cause: unknown): Promise<void> {
    if (attempt.dummySent) {
      const message = "The homeserver refuses m.login.dummy";
      throw Object.assign(new UiaError("dummy_refused", message, cause), { reason: error });
    }
    attempt.dummySent = true;
    await this.#busy.during(() => this.#request(attempt, { type: AuthType.Dummy }));
  }

  /** Starts a new session, once, if the homeserver doesn't, or seems not to, recognize this one. */
  async #restart(attempt: Attempt<T>, submitted: AuthDict, background: boolean): Promise<void> {
    this.#progress = new FlowProgress(this.#options);
    this.#stage = undefined;
    attempt.restarted = true;
    attempt.dummySent = false;
    await this.#busy.during(async () => {
      await this.#request(attempt, null);
      if (submitted.type === this.#stage) await this.#request(attempt, submitted, background);
    });
  }

  readonly #notify = (status: IStageStatus): void => {
    if (this.#stage === undefined) return;
    const emailSid = this.#stage === AuthType.Email ? this.#email.sid : undefined;
    const whole = { ...status, ...(emailSid !== undefined && { emailSid }) };
    try {
      this.#options.stateUpdated(this.#stage, whole);
    } catch (error) {
      this.#attempt?.reject(error);
    }
  };

  /** The user might have left the stage in the meantime. */
  readonly #notifyEmail = (status: IStageStatus): void => {
    if (this.#stage === AuthType.Email) this.#notify(status);
  };

  #enqueue(attempt: Attempt<T>, run: () => Promise<void>, background = false): Promise<void> {
    const turn = () => attempt.enqueue(run);
    return background ? turn() : this.#busy.during(turn);
  }
}
