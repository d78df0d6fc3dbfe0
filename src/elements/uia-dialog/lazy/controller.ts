import type { UiaSession, UiaSessionActions } from "../../../context/uia-session.js";
import { wait } from "../../../core/http/wait.js";
import type { InteractiveAuthOptions, IStageStatus } from "../../../core/index.js";
import { BusyTracker } from "../../../core/uia/attempt.js";
import { firstAttempt } from "../../../core/uia/email-validation.js";
import { UiaError } from "../../../core/uia/errors.js";
import { failureStatus, limitedText, readFailure } from "../../../core/uia/failure.js";
import { InteractiveAuth } from "../../../core/uia/interactive-auth.js";
import { AuthType, isOAuth } from "../../../core/uia/options.js";
import type { RespondableEvent } from "../../../events/base.js";
import {
  UiaBusyChangedEvent,
  UiaDoRequestEvent,
  UiaRequestEmailTokenEvent,
  UiaRequestPhoneTokenEvent,
  UiaStateUpdatedEvent,
} from "../../../events/uia.js";
import {
  accountErrorTexts,
  completionTexts,
  dialogTexts,
  fieldTexts,
  requestTexts,
} from "../../../locales/en.js";
import { addTexts } from "../../../texts/texts.js";
import { VisibilityPoller } from "../../../ui/lazy/visibility-poller.js";
import { sessionActions } from "./actions.js";
import {
  type DialogCall,
  type DialogHost,
  type DialogRun,
  type DoRequest,
  type Shown,
  type UiaDialogState,
} from "./host.js";
import { UiaSessionProvider } from "./session-provider.js";
import { isRegistrationToken, prefetchStages, servedStages } from "./stages/index.js";
import { DialogView } from "./view.js";

addTexts({
  $code: "en",
  ...fieldTexts,
  ...requestTexts,
  ...dialogTexts,
  ...accountErrorTexts,
  errorFlowExpired: completionTexts.errorFlowExpired,
});

const RESEND_PAUSE_MS = 30_000;

/**
 * The time that a request may take before the dialog opens and shows that it is busy. Most requests
 * take less, and a dialog that closes before the user can read it is worse than none.
 */
const PENDING_MS = 400;

/** What is shown after that time, before the homeserver's first response. */
const PENDING = { stage: "pending", busy: true, step: 0, steps: 0, unfinished: false };

const USER_ID_TIMEOUT_MS = 10_000;

/** One run of the dialog: an `InteractiveAuth`, the session for its views, and its polling. */
export class DialogController implements DialogRun {
  readonly #host: DialogHost;
  readonly #signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #auth: InteractiveAuth<unknown>;
  readonly #actions: UiaSessionActions;
  readonly #session: UiaSessionProvider;
  readonly view: DialogView;
  readonly #busy = new BusyTracker((busy) => this.#notifyBusy(busy));
  pause: DialogRun["pause"];
  /** Whether the page's token was submitted. The stage has two names, and a homeserver may alternate them. */
  #tokenSent = false;
  #poller: VisibilityPoller | undefined;
  #resendTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #pendingTimer: ReturnType<typeof setTimeout>;
  #isPending = false;
  /** The rate limit of the first request: the engine reports only a stage's. */
  #limit: IStageStatus = {};
  readonly call: DialogCall;
  /** Ends the run with an error. */
  fail: (error: UiaError) => void = () => undefined;

  /** @param signal Aborts when the run is cancelled. @param opener The element that had the focus at the start. */
  constructor(host: DialogHost, call: DialogCall, signal: AbortSignal, opener: Element | null) {
    this.#host = host;
    this.#signal = signal;
    this.call = call;
    this.#session = UiaSessionProvider.of(host);
    this.view = new DialogView(host, this, opener);
    const requests = requestsOf(host, call);
    const options = this.#options(requests);
    this.#auth = new InteractiveAuth(options);
    const over = AbortSignal.any([signal, this.#over.signal]);
    this.#actions = sessionActions({
      auth: this.#auth,
      requestPhoneToken: requests.requestPhoneToken,
      firstAttempt: firstAttempt(options),
      session: this.#session,
      // A late change must not reach the next run, whose session is in the same place.
      update: (change) => over.aborted || this.#session.update(change),
      busy: this.#busy,
      cancel: (reason) => host.cancel(reason),
      sent: () => this.#messageSent(),
      over,
    });
    // This comes last, because the page's client might throw above.
    this.#pendingTimer = setTimeout(() => {
      if (!host.isConnected) return;
      this.#isPending = host.open = true;
      host.requestUpdate();
    }, PENDING_MS);
    host.addController(this.view);
  }

  get session(): UiaSession | undefined {
    return this.#session.value;
  }

  get shown(): Shown | undefined {
    return this.session ?? (this.#isPending ? { ...PENDING, status: this.#limit } : undefined);
  }

  get userId(): string | undefined {
    const { client } = this.#session;
    const known = [this.#host.userId, client?.userId, client?.getUserId?.()];
    return this.session?.userId ?? known.map(limitedText).find(Boolean);
  }

  /** Undefined once the run has ended. */
  get state(): UiaDialogState | undefined {
    if (this.#over.signal.aborted) return undefined;
    if (this.pause) return "error";
    return this.session?.busy === false ? "awaiting-input" : "busy";
  }

  /** Runs the request to its end. @returns The value it resolves to. */
  async run(): Promise<unknown> {
    const failed = new Promise<never>((_, reject) => (this.fail = reject));
    failed.catch(() => undefined);
    for (;;) {
      try {
        return await Promise.race([this.#auth.attemptAuth(), failed]);
      } catch (error) {
        const mayPass = readFailure(error).transient;
        // The user's progress must not be lost if a server is only temporarily unavailable.
        if (!this.session || this.#signal.aborted || !mayPass) throw error;
        await Promise.race([this.#waitForRetry(error), failed]);
        this.pause = undefined;
      }
    }
  }

  end(): void {
    this.#over.abort();
    this.#auth.cancel();
    this.#busy.end();
    this.#poller?.stop();
    clearTimeout(this.#resendTimer);
    clearTimeout(this.#pendingTimer);
    this.#host.removeController(this.view);
    this.view.close();
    this.#session.set(undefined);
  }

  async #request(doRequest: DoRequest, ...request: Parameters<DoRequest>): Promise<unknown> {
    this.#limit = {};
    try {
      return await doRequest(...request);
    } catch (error) {
      const failure = readFailure(error);
      const { status, retryAfterMs } = failure;
      if (status === 429 && retryAfterMs !== undefined) {
        this.#limit = { ...failureStatus(failure), retryAfterMs };
        this.#host.requestUpdate();
      }
      throw error;
    }
  }

  #options({ doRequest, requestEmailToken }: Requests): InteractiveAuthOptions<unknown> {
    const { sessionId, clientSecret, emailSid } = this.#host;
    return {
      matrixClient: this.#session.client ?? {},
      doRequest: (...request) => this.#request(doRequest, ...request),
      requestEmailToken,
      stateUpdated: this.#stateUpdated,
      // The engine's waits and the dialog's own may overlap.
      busyChanged: (busy) => this.#busy.set(this.#auth, busy),
      supportedStages: this.#host.supportedStages ?? servedStages(this.#host),
      signal: this.#signal,
      inputs: this.#host.inputs ?? {},
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
    clearTimeout(this.#pendingTimer);
    const before = this.session;
    if (!before) prefetchStages(this.#auth.getChosenFlow()?.stages ?? [], this.#host);
    this.#session.set(this.#sessionAt(stage, status));
    if (status.emailSid !== undefined && before?.status.emailSid === undefined) this.#messageSent();
    if (status.restarted) this.#tokenSent = false;
    if (before?.stage !== stage) this.#enter(stage);
    this.#startPolling(stage);
    this.#host.open = true;
    this.#host.stateChanged();
    this.#host.dispatchEvent(new UiaStateUpdatedEvent({ nextStage: stage, status }));
  };

  #sessionAt(stage: string, status: IStageStatus): UiaSession {
    const inputs = this.#host.inputs ?? {};
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
      client: this.#session.client,
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
    const { registrationToken, phoneCountry, phoneNumber } = this.#host.inputs ?? {};
    if (isRegistrationToken(stage) && registrationToken && !this.#tokenSent) {
      this.#tokenSent = true;
      void this.#actions.submit({ type: stage, token: registrationToken });
    } else if (stage === AuthType.Msisdn && phoneCountry && phoneNumber) {
      void this.#actions.requestPhoneToken(phoneCountry, phoneNumber);
    } else if (stage === AuthType.Password && this.session?.userId === undefined) {
      void this.#busy.during(() => this.#fetchUserId());
    }
  }

  /** Requests the signed-in user; without a response the user is asked for the username. */
  async #fetchUserId(): Promise<void> {
    const { client } = this.#session;
    if (!client?.whoami) return;
    this.#session.update({ loadingUserId: true });
    const response = await Promise.race([
      (async () => client.whoami?.())(),
      wait(USER_ID_TIMEOUT_MS, this.#over.signal),
    ]).catch(() => undefined);
    if (this.#over.signal.aborted) return;
    this.#session.update({ userId: limitedText(response?.user_id), loadingUserId: false });
  }

  #startPolling(stage: string): void {
    this.#poller?.stop();
    this.#poller =
      stage === AuthType.Email || stage === AuthType.Msisdn || isOAuth(stage)
        ? new VisibilityPoller(this.#actions.poll, this.#host.pollInterval)
        : undefined;
  }

  #messageSent(): void {
    if (this.#over.signal.aborted) return;
    clearTimeout(this.#resendTimer);
    this.#session.update({ canResend: false });
    this.#resendTimer = setTimeout(
      () => this.#session.update({ canResend: true }),
      RESEND_PAUSE_MS,
    );
  }

  #notifyBusy(busy: boolean): void {
    // After the end, no user is waiting.
    if (busy && this.#over.signal.aborted) return;
    this.#session.update({ busy });
    this.#host.stateChanged();
    this.#host.dispatchEvent(new UiaBusyChangedEvent({ busy }));
  }

  async #waitForRetry(failure: unknown): Promise<void> {
    this.#poller?.stop();
    await new Promise<void>((resolve, reject) => {
      this.pause = { failure, end: resolve };
      // Retry when the browser is online again. After a server's failure, the user decides.
      if (readFailure(failure).status === undefined) {
        window.addEventListener("online", () => resolve(), { signal: this.#over.signal });
      }
      this.#signal.addEventListener("abort", () =>
        reject(new UiaError("cancelled", "The authentication was cancelled", failure)),
      );
      this.#host.stateChanged();
    });
  }
}

type Requests = ReturnType<typeof requestsOf>;

/**
 * The functions that send requests: those of the call, else the page's functions, else the page's
 * listeners at the start of the run.
 */
function requestsOf(host: DialogHost, call: DialogCall) {
  const ask = async <Response>(event: RespondableEvent<Response>): Promise<Response> => {
    host.dispatchEvent(event);
    if (event.response) return event.response;
    throw new UiaError("no_handler", `No function or listener handles ${event.type}`);
  };
  return {
    doRequest:
      call.doRequest ??
      host.doRequest ??
      ((authData, background) => ask(new UiaDoRequestEvent({ authData, background }))),
    requestEmailToken:
      call.requestEmailToken ??
      host.requestEmailToken ??
      ((email, secret, attempt, session) =>
        ask(new UiaRequestEmailTokenEvent({ email, secret, attempt, session }))),
    requestPhoneToken:
      call.requestPhoneToken ??
      host.requestPhoneToken ??
      ((country, phone, secret, attempt, session) =>
        ask(new UiaRequestPhoneTokenEvent({ country, phone, secret, attempt, session }))),
  };
}
