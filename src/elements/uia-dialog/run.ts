import { ContextProvider } from "@lit/context";
import {
  type UiaSession,
  type UiaSessionActions,
  uiaSessionContext,
} from "../../context/uia-session.js";
import { isText, presentMembers } from "../../core/http/json.js";
import { wait } from "../../core/http/wait.js";
import type { AuthDict, InteractiveAuthOptions, IStageStatus } from "../../core/index.js";
import { BusyTracker } from "../../core/uia/attempt.js";
import { firstAttempt } from "../../core/uia/email-validation.js";
import { UiaError } from "../../core/uia/errors.js";
import { isUserId } from "../../core/shared/identifiers.js";
import { failureStatus, limitedText, readFailure } from "../../core/uia/failure.js";
import { InteractiveAuth } from "../../core/uia/interactive-auth.js";
import { AuthType, isOAuth, isRegistrationToken } from "../../core/uia/options.js";
import { UiaBusyChangedEvent, UiaStateUpdatedEvent } from "../../events/uia.js";
import { asClientError } from "../../errors/client-error.js";
import { type CodedError, NOT_ACCEPTED } from "../../errors/coded-error.js";
import { assertUserAt, mayBeElsewhere } from "../../sign-in/password-place.js";
import { lazyPart, type Load } from "../../ui/loading.js";
import { Operation } from "../../ui/operation.js";
import { userOf } from "./call.js";
import { accountMismatch, homeserverOf, mayBeOneUser } from "./one-account.js";
import type { UiaDialogElement } from "./uia-dialog.js";
import type { DialogCall, DoRequest } from "./options.js";
import type { PhoneValidation } from "./phone/validation.js";
import { requestsOf } from "./requests.js";
import type * as StageViews from "./stages/index.js";
import type * as WaitsPart from "./waits.js";

/** Needed for stages that are completed elsewhere, and for rate limits. */
export const loadWaits: Load<typeof WaitsPart> = /* @__PURE__ */ lazyPart(
  () => import("./waits.js"),
);

const RESEND_PAUSE_MS = 30_000;

/**
 * The time that a request can take before the dialog opens and shows that it is busy. Most requests
 * take less time, and a dialog that closes before the user can read it is worse than no dialog.
 */
const PENDING_MS = 400;

/** One run of the dialog. */
type RunState =
  /**
   * The homeserver has not required a stage yet. If its response takes long, the dialog shows that
   * it is busy.
   */
  | { readonly name: "requesting"; readonly isSlow: boolean; readonly limit: IStageStatus }
  /**
   * The stage, with the failure of the last action outside the engine, such as submitting a phone
   * code.
   */
  | { readonly name: "stage"; readonly session: UiaSession; readonly failure?: unknown }
  /** After a temporary failure, until the user tries again. */
  | {
      readonly name: "paused";
      readonly session: UiaSession;
      readonly error: CodedError;
      readonly retry: () => void;
    }
  | { readonly name: "over" };

/** A stage, or the content before the homeserver's first response. */
export type Shown = Pick<UiaSession, "stage" | "status" | "busy" | "step" | "steps" | "unfinished">;

/** The part of the stages' views that the controller uses. */
export type Stages = Pick<typeof StageViews, "servedStages" | "prefetchStages" | "loadPhone">;

/** The content that is shown after that time, before the homeserver's first response. */
const PENDING = { stage: "pending", busy: true, step: 0, steps: 0, unfinished: false };

const USER_ID_TIMEOUT_MS = 10_000;

/**
 * One run of the dialog: an `InteractiveAuth`, its polling, and the session with the actions for
 * views. Custom views get this session from the context.
 */
export class DialogRun {
  readonly call: DialogCall;
  readonly #host: UiaDialogElement;
  readonly #stages: Stages;
  readonly #context: ReturnType<typeof provideSession>;
  readonly #requests: ReturnType<typeof requestsOf>;
  readonly #auth: InteractiveAuth<unknown>;
  readonly #firstAttempt: number;
  readonly #busy = new BusyTracker((busy) => this.#notifyBusy(busy));
  readonly #closed = new AbortController();
  /** Aborts when the run is cancelled or has ended. */
  readonly #over: AbortSignal;
  #state: RunState = { name: "requesting", isSlow: false, limit: {} };
  #reject!: (error: unknown) => void;
  readonly #failed = new Promise<never>((_, reject) => (this.#reject = reject));
  /** Polls the homeserver while a stage is completed elsewhere. */
  readonly #waiting = new Operation();
  #polling: Promise<void> | undefined;
  /** A text message that is being requested. */
  #sending: Promise<void> | undefined;
  /** Aborts when the user is asked for something else: for another stage or another number. */
  #asked = new AbortController();
  /** The pause before another message can be requested. */
  readonly #resending = new Operation();
  /** The last message, which has its own pause. */
  sent: { readonly pauseMs: number } = { pauseMs: 0 };
  #phone: PhoneValidation | undefined;
  /** Whether the page's token was submitted. */
  #tokenSent = false;
  /**
   * Whether the user of `user-id` can belong to the client. Undefined if no request is necessary.
   * The request is sent while the user types. A password is not sent before its response, because
   * it might be the password of another homeserver's user.
   */
  #isConfirmed: Promise<boolean> | undefined;

  constructor(host: UiaDialogElement, call: DialogCall, signal: AbortSignal, stages: Stages) {
    this.#host = host;
    this.#stages = stages;
    this.#over = AbortSignal.any([signal, this.#closed.signal]);
    this.call = call;
    this.#context = provided.get(host) ?? provideSession(host);
    this.#requests = requestsOf(host, call);
    const options = this.#options();
    this.#auth = new InteractiveAuth(options);
    this.#firstAttempt = firstAttempt(options);
  }

  get state(): RunState {
    return this.#state;
  }

  /** Undefined once the run is over. */
  get publicState(): "busy" | "awaiting-input" | "error" | undefined {
    if (this.#state.name === "over") return undefined;
    if (this.#state.name === "paused") return "error";
    return this.session?.busy === false ? "awaiting-input" : "busy";
  }

  /** The error of the last action outside the engine. */
  get failure(): unknown {
    return this.#state.name === "stage" ? this.#state.failure : undefined;
  }

  get session(): UiaSession | undefined {
    return "session" in this.#state ? this.#state.session : undefined;
  }

  get shown(): Shown | undefined {
    const state = this.#state;
    if (state.name !== "requesting") return this.session;
    return state.isSlow ? { ...PENDING, status: state.limit } : undefined;
  }

  get userId(): string | undefined {
    return this.session?.userId ?? limitedText(this.call.userId);
  }

  /** Runs the request to its end. @returns The value it resolves to. */
  async run(): Promise<unknown> {
    wait(PENDING_MS, this.#over).then(this.#showPending, () => undefined);
    this.#failed.catch(() => undefined);
    for (;;) {
      try {
        return await Promise.race([this.#auth.attemptAuth(), this.#failed]);
      } catch (error) {
        const { session } = this;
        const mayPass = readFailure(error).transient;
        // The user's progress must not be lost if a server is only temporarily unavailable.
        if (!session || this.#over.aborted || !mayPass) throw error;
        await Promise.race([this.#waitForRetry(session, error), this.#failed]);
      }
    }
  }

  /** Ends the run with an error. */
  fail(error: unknown): void {
    this.#reject(error);
  }

  /** Frees everything once the run has ended. The element reports the end. */
  close(): void {
    this.#become({ name: "over" });
    this.#closed.abort();
    this.#busy.end();
  }

  #become(next: RunState): void {
    const { session: before, shown } = this;
    this.#state = next;
    const { session } = this;
    if (before?.stage !== session?.stage || before?.changing !== session?.changing) {
      this.#asked.abort();
      this.#asked = new AbortController();
    }
    try {
      if (session !== before) this.#context.setValue(session);
    } catch (error) {
      // An error in a custom view must not prevent the dialog from closing.
      reportError(error);
    }
    if (!shown && this.shown) this.#host.open = true;
    if (next.name === "over") this.#host.requestUpdate();
    else this.#host.stateChanged();
  }

  /** A late change must not reach the next run, whose session is in the same context. */
  #update(change: Partial<UiaSession>, more: { readonly failure?: unknown } = {}): void {
    const state = this.#state;
    if (!("session" in state) || this.#over.aborted) return;
    const session = { ...state.session, ...change };
    this.#become(state.name === "stage" ? { ...state, ...more, session } : { ...state, session });
  }

  readonly #showPending = (): void => {
    const state = this.#state;
    if (state.name !== "requesting" || !this.#host.isConnected) return;
    this.#become({ ...state, isSlow: true });
  };

  async #request(...request: Parameters<DoRequest>): Promise<unknown> {
    this.#limited({});
    try {
      return await this.#requests.doRequest(...request);
    } catch (error) {
      const failure = readFailure(error);
      const { status, retryAfterMs } = failure;
      if (status === 429 && retryAfterMs !== undefined) {
        this.#limited({ ...failureStatus(failure), retryAfterMs });
      }
      throw error;
    }
  }

  /** The rate limit of the first request. The engine reports only rate limits during a stage. */
  #limited(limit: IStageStatus): void {
    if (this.#state.name === "requesting") this.#become({ ...this.#state, limit });
  }

  #options(): InteractiveAuthOptions<unknown> {
    const { client, inputs, supportedStages, resumption } = this.call;
    const { sessionId, clientSecret, emailSid } = resumption;
    return {
      matrixClient: client ?? {},
      doRequest: (...request) => this.#request(...request),
      requestEmailToken: this.#requests.requestEmailToken,
      stateUpdated: this.#stateUpdated,
      // The engine's waits and the dialog's own waits can overlap.
      busyChanged: (busy) => this.#busy.set(this.#auth, busy),
      supportedStages: supportedStages ?? this.#stages.servedStages(this.#host),
      signal: this.#over,
      inputs,
      // An empty attribute counts as unset.
      sessionId: sessionId || undefined,
      clientSecret: clientSecret || undefined,
      emailSid: emailSid || undefined,
    };
  }

  readonly #stateUpdated = (stage: string, status: IStageStatus): void => {
    if (!this.#host.isConnected) {
      throw new UiaError("not_connected", "The dialog is not in the document");
    }
    const before = this.session;
    if (!before) {
      const { stages = [] } = this.#auth.getChosenFlow() ?? {};
      this.#stages.prefetchStages(stages, this.#host, this.call);
    }
    this.#become({ name: "stage", session: this.#sessionAt(stage, status) });
    if (status.emailSid !== undefined && before?.status.emailSid === undefined) this.#messageSent();
    if (status.restarted) this.#tokenSent = false;
    if (before?.stage !== stage) this.#enter(stage);
    this.#poll(stage);
    this.#host.dispatchEvent(new UiaStateUpdatedEvent({ nextStage: stage, status }));
  };

  #sessionAt(stage: string, status: IStageStatus): UiaSession {
    const { client, inputs } = this.call;
    const before = this.session;
    const same = before?.stage === stage ? before : undefined;
    const completed = this.#auth.getCompletedStages();
    const seen = (this.#auth.getChosenFlow()?.stages ?? []).filter(
      (each) => each !== AuthType.Dummy,
    );
    return {
      stage,
      params: this.#auth.getStageParams(stage),
      status,
      busy: this.#busy.busy,
      step: seen.filter((each) => completed.has(each)).length + 1,
      steps: seen.length,
      sessionId: this.#auth.getSessionId(),
      client,
      // The user ID stays while a stage is shown, because the user may have typed a name.
      userId: same ? same.userId : this.userId,
      loadingUserId: same?.loadingUserId ?? false,
      inputs,
      email: before?.email ?? inputs.emailAddress,
      phone: before?.phone,
      changing: same?.changing ?? false,
      canResend: before?.canResend ?? true,
      hasOtherWay: this.#auth.getOtherFlow() !== undefined,
      unfinished: false,
      ...this.#actions,
    };
  }

  #enter(stage: string): void {
    const { registrationToken, phoneCountry, phoneNumber } = this.call.inputs;
    if (isRegistrationToken(stage) && registrationToken && !this.#tokenSent) {
      this.#tokenSent = true;
      void this.#actions.submit({ type: stage, token: registrationToken });
    } else if (stage === AuthType.Msisdn && phoneCountry && phoneNumber) {
      void this.#actions.requestPhoneToken(phoneCountry, phoneNumber);
    } else if (stage === AuthType.Password && this.call.client?.whoami) {
      if (this.session?.userId === undefined) void this.#busy.during(() => this.#fetchUserId());
      else if (userOf(this.call.client) === undefined) {
        this.#isConfirmed ??= this.#whoami().then((user) => mayBeOneUser(this.call.userId, user));
      }
    }
  }

  /** Requests the signed-in user. If there is no response, the dialog asks for the username. */
  async #fetchUserId(): Promise<void> {
    this.#update({ loadingUserId: true });
    this.#update({ userId: await this.#whoami(), loadingUserId: false });
  }

  async #whoami(): Promise<string | undefined> {
    const { client } = this.call;
    const response = await Promise.race([
      (async () => client?.whoami?.())(),
      wait(USER_ID_TIMEOUT_MS, this.#over),
    ]).catch(() => undefined);
    const userId: unknown = response?.user_id;
    return isUserId(userId) ? userId : undefined;
  }

  /** Whether a password for a user ID may be sent. If not, the run ends. */
  async #isUserHere(user: string): Promise<boolean> {
    const place = { homeserverUrl: homeserverOf(this.call), isTyped: user !== this.userId };
    try {
      await assertUserAt(user, place, { signal: this.#over });
      return true;
    } catch (error) {
      // If the code for it can't be loaded, the user can submit again.
      if (asClientError(error).code !== "user_elsewhere") throw error;
      this.fail(error);
      return false;
    }
  }

  #poll(stage: string): void {
    this.#waiting.cancel();
    if (stage !== AuthType.Email && stage !== AuthType.Msisdn && !isOAuth(stage)) return;
    const { poll } = this.#actions;
    const { pollInterval } = this.call;
    void this.#waiting.run(async (signal) => {
      // Without it, the user confirms that the stage is finished.
      const part = await loadWaits().catch(() => undefined);
      signal.throwIfAborted();
      await part?.pollWhileVisible(signal, poll, pollInterval);
    }, this.#over);
  }

  #messageSent(): void {
    const { pauseMs } = (this.sent = { pauseMs: RESEND_PAUSE_MS });
    void this.#resending.run(async (signal) => {
      this.#update({ canResend: false });
      await wait(pauseMs, signal);
      this.#update({ canResend: true });
    }, this.#over);
  }

  #notifyBusy(busy: boolean): void {
    const state = this.#state;
    // After the end, no user is waiting.
    if (busy && state.name === "over") return;
    // A cancelled run also stops being busy.
    if ("session" in state) this.#become({ ...state, session: { ...state.session, busy } });
    else this.#host.stateChanged();
    this.#host.dispatchEvent(new UiaBusyChangedEvent({ busy }));
  }

  async #waitForRetry(session: UiaSession, failure: unknown): Promise<void> {
    this.#waiting.cancel();
    await new Promise<void>((retry, reject) => {
      this.#become({ name: "paused", session, error: asClientError(failure), retry });
      // Retry when the browser is online again. After a server's failure, the user decides.
      if (readFailure(failure).status === undefined) {
        window.addEventListener("online", () => retry(), { signal: this.#over });
      }
      this.#over.addEventListener("abort", () => reject(cancelled(failure)));
    });
    // The next attempt starts now.
    this.#become({ name: "stage", session: { ...(this.session ?? session), busy: true } });
  }

  readonly #actions: UiaSessionActions = {
    cancel: (reason) => this.#host.cancel(reason),

    // Until a message was sent to the other address, a poll could confirm the address that the user
    // is replacing.
    poll: async () => {
      if (this.session?.changing) return;
      await (this.#polling ??= this.#auth.poll().finally(() => {
        this.#polling = undefined;
      }));
    },

    submit: (authDict) =>
      this.#report(async () => {
        const before = this.session;
        const { session = before?.sessionId } = authDict;
        // It might be the password of another account, because the view has shown another account's
        // dialog.
        if (before?.sessionId && session !== before.sessionId) {
          throw new UiaError("not_attempting", "The submission is for another session");
        }
        const isConfirmed = this.#isConfirmed;
        const user = userElsewhere(authDict, this.call);
        const submit = () => this.#auth.submitAuthDict(authDict);
        const confirmAndSubmit = async (): Promise<void> => {
          if ((await isConfirmed) === false) return this.fail(accountMismatch());
          if (user === undefined || (await this.#isUserHere(user))) await submit();
        };
        await (isConfirmed || user ? this.#busy.during(confirmAndSubmit) : submit());
        const { stage, status } = this.session ?? {};
        if (!before || !status || stage !== before.stage || status === before.status) return;
        // The homeserver requires the same stage again, so the user must learn that the input was
        // rejected.
        if (Object.keys(status).length === 0) this.#update({ status: { errcode: NOT_ACCEPTED } });
      }),

    finish: async () => {
      const { stage, busy, changing } = this.session ?? {};
      if (stage === undefined || busy || changing) return;
      const isAsked = (): boolean => this.session?.stage === stage;
      await this.#work(async () => {
        // A running poll might have been too early.
        await this.#polling;
        let answered = await this.#auth.check();
        // Homeservers accept one of two forms, so try the other one.
        if (isOAuth(stage) && isAsked()) answered &&= await this.#auth.check();
        if (!answered || !isAsked()) return;
        const error = this.#auth.getCheckMessage();
        const { status } = this.session ?? {};
        this.#update({ unfinished: true, ...(error && { status: { ...status, error } }) });
      });
    },

    requestEmailToken: async (address) => {
      const isOther = address !== undefined && address !== this.session?.email;
      if (isOther && this.#auth.getEmailSid() !== undefined) this.#actions.changeAddress();
      this.#update({ ...(isOther && { email: address, status: {} }), unfinished: false });
      const { changing } = this.session ?? {};
      await this.#report(async () => {
        await this.#auth.requestEmailToken(address);
        if (changing) this.#update({ changing: false });
        this.#messageSent();
      });
    },

    requestPhoneToken: async (country, number) => {
      const { country: lastCountry = "", phone: lastNumber = "" } = this.session?.phone ?? {};
      const to = [country ?? lastCountry, number ?? lastNumber] as const;
      const isOther = lastNumber && to.join() !== [lastCountry, lastNumber].join();
      if (isOther && !this.#sending) this.#actions.changeAddress();
      const before = this.session;
      this.#sending ??= this.#work(() => this.#sendCode(before, ...to)).finally(
        () => (this.#sending = undefined),
      );
      await this.#sending;
    },

    submitPhoneCode: async (code) => {
      if (!this.session?.phone?.wantsCode) return;
      await this.#work(async () => (await this.#phoneValidation()).submitCode(code));
    },

    tryOtherWay: () => this.#report(() => this.#auth.chooseOtherFlow()),

    changeAddress: () => this.#update({ changing: true, status: {}, unfinished: false }),
  };

  /** Runs an action. Its error becomes the status of the stage that it belongs to. */
  async #report(run: () => Promise<void>): Promise<void> {
    const { stage, status: { emailSid } = {} } = this.session ?? {};
    this.#update({ status: messageOf(emailSid), unfinished: false }, { failure: undefined });
    try {
      await run();
    } catch (thrown) {
      // The stage has changed: the error does not belong to the new one.
      if (this.session?.stage !== stage) return;
      // Use the engine's ID, because it drops a message if another address was requested.
      const sid = stage === AuthType.Email ? this.#auth.getEmailSid() : undefined;
      const status = failureStatus(readFailure(thrown));
      this.#update({ status: { ...messageOf(sid), ...status } }, { failure: thrown });
    }
  }

  /** Like `#report`, for requests outside the engine, which the engine can't report as busy. */
  #work(run: () => Promise<void>): Promise<void> {
    return this.#report(() => this.#busy.during(run));
  }

  async #sendCode(before: UiaSession | undefined, country: string, phone: string): Promise<void> {
    const isWanted = (): boolean =>
      this.session?.stage === before?.stage && this.session?.changing === before?.changing;
    const waiting = AbortSignal.any([this.#over, this.#asked.signal]);
    const notify = (status: IStageStatus): void => this.#update({ status });
    const validation = await this.#phoneValidation();
    const wantsCode = await validation.send(country, phone, isWanted, waiting, notify);
    if (wantsCode === undefined) return;
    const state = { country, phone, wantsCode };
    this.#update({ phone: state, status: {}, changing: false, unfinished: false });
    this.#messageSent();
  }

  /** Loaded on demand, because few authentications need a phone number. */
  async #phoneValidation(): Promise<PhoneValidation> {
    const { PhoneValidation } = await this.#stages.loadPhone();
    const { requestPhoneToken } = this.#requests;
    const { baseUrl = "" } = this.call.client ?? {};
    this.#phone ??= new PhoneValidation(this.#auth, requestPhoneToken, this.#firstAttempt, baseUrl);
    return this.#phone;
  }
}

export const cancelled = (reason: unknown): UiaError =>
  new UiaError("cancelled", "The authentication was cancelled", reason);

const messageOf = (emailSid: string | undefined): IStageStatus =>
  emailSid === undefined ? {} : { emailSid };

/** One for all runs of an element, because views subscribe to it before the first run. */
const provided = new WeakMap<UiaDialogElement, ReturnType<typeof provideSession>>();

function provideSession(host: UiaDialogElement) {
  const session = new ContextProvider(host, { context: uiaSessionContext });
  provided.set(host, session);
  return session;
}

/** The user ID that a password is for, if its homeserver might differ from the call's. */
function userElsewhere(auth: AuthDict, call: DialogCall): string | undefined {
  const { user = auth["user"] } = presentMembers(auth["identifier"]);
  return isText(user) && mayBeElsewhere(user, { homeserverUrl: homeserverOf(call) })
    ? user
    : undefined;
}
