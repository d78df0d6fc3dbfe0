import type { AuthClient } from "../../../context/auth-client.js";
import type { UiaSession, UiaSessionActions } from "../../../context/uia-session-context.js";
import type { IInputs, IStageStatus, InteractiveAuthOptions } from "../../../core/index.js";
import { MAX_TIMER_MS } from "../../../core/http/wait.js";
import { AuthType, isOAuth } from "../../../core/uia/auth-type.js";
import { readFailure } from "../../../core/uia/challenge.js";
import { firstAttempt } from "../../../core/uia/email-validation.js";
import { UiaError } from "../../../core/uia/errors.js";
import { InteractiveAuth } from "../../../core/uia/interactive-auth.js";
import type { RespondableEvent } from "../../../events/respondable-event.js";
import { UiaBusyChangedEvent } from "../../../events/uia-busy-changed.js";
import { UiaCancelEvent } from "../../../events/uia-cancel.js";
import { UiaDoRequestEvent } from "../../../events/uia-do-request.js";
import { UiaRequestEmailTokenEvent } from "../../../events/uia-request-email-token.js";
import { UiaRequestPhoneTokenEvent } from "../../../events/uia-request-phone-token.js";
import { UiaStateUpdatedEvent } from "../../../events/uia-state-updated.js";
import { DialogContexts } from "./dialog-contexts.js";
import { DialogView } from "./dialog-view.js";
import { PhoneCheck } from "./phone-validation.js";
import { PollClock } from "../../shared/lazy/visibility-poller.js";
import { sessionActions } from "./session-actions.js";
import { CurrentSession } from "./uia-session-provider.js";
import { isToken, prefetchStages, servedStages } from "./stages/index.js";
import type { DoRequest, UiaDialogElement, UiaDialogState } from "../uia-dialog.js";

/** How long after a message was sent another may be requested. */
const RESEND_PAUSE_MS = 30_000;

const POLL_INTERVAL_MS = 5000;
/** One run of the dialog: an `InteractiveAuth`, what views see of it, and when it polls. */
export class Course {
  readonly #host: UiaDialogElement;
  readonly #abort: AbortController;
  readonly #auth: InteractiveAuth<unknown>;
  readonly #actions: UiaSessionActions;
  readonly #store: CurrentSession;
  readonly #view: DialogView;
  /** How many things the user is waiting for: the engine's, and those it does not know about. */
  #waiting = 0;
  #ended = false;
  #dismissing = false;
  #failure: unknown;
  #retry: (() => void) | undefined;
  #clock: PollClock | undefined;
  #resendTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param opener What had the focus when the request started. */
  constructor(
    host: UiaDialogElement,
    abort: AbortController,
    doRequest: DoRequest | undefined,
    opener: Element | null,
  ) {
    this.#host = host;
    this.#abort = abort;
    this.#store = new CurrentSession(host);
    this.#view = new DialogView(host, this, opener);
    const options = this.#options(doRequest);
    this.#auth = new InteractiveAuth(options);
    const secret = this.#auth.getClientSecret();
    const phone = new PhoneCheck(secret, firstAttempt(options), async (...asked) => {
      const [country, phone, secret, attempt, session] = asked;
      return host.requestPhoneToken
        ? host.requestPhoneToken(...asked)
        : this.#ask(new UiaRequestPhoneTokenEvent({ country, phone, secret, attempt, session }));
    });
    this.#actions = sessionActions({
      auth: this.#auth,
      phone,
      store: this.#store,
      cancel: (reason) => this.dismiss(reason),
      busyChanged: this.#busyChanged,
      sent: () => this.#messageSent(),
      over: abort.signal,
    });
  }

  get session(): UiaSession | undefined {
    return this.#store.value;
  }

  /** Why the last request failed, while the user may try again. */
  get failure(): unknown {
    return this.#failure;
  }

  get state(): UiaDialogState {
    if (this.#retry) return "failed";
    return this.session && !this.session.busy ? "asking" : "working";
  }

  /** Runs the request to its end. @returns What it resolves with. */
  async run(): Promise<unknown> {
    const { signal } = this.#abort;
    for (;;) {
      try {
        return await this.#auth.attemptAuth();
      } catch (error) {
        const mayPass = readFailure(error).transient;
        // The user's progress must not be lost if a server is only temporarily unavailable.
        if (!this.session || signal.aborted || !mayPass) throw error;
        await this.#untilRetry(error, signal);
      }
    }
  }

  /** Cancels, unless a listener prevents it. */
  dismiss(reason?: unknown): void {
    if (this.#abort.signal.aborted || this.#dismissing) return;
    this.#dismissing = true;
    const agreed = this.#host.dispatchEvent(new UiaCancelEvent({ reason }));
    this.#dismissing = false;
    if (agreed) this.#abort.abort(reason);
    else {
      this.#host.open = this.session !== undefined;
      this.#host.requestUpdate();
    }
  }

  /** Continues after a failure. */
  readonly retry = (): void => this.#retry?.();

  render(): unknown {
    return this.#view.render();
  }

  /** Call it when what was rendered is in the document. */
  shown(): void {
    this.#view.shown();
  }

  /** Cleans up everything. */
  end(): void {
    this.#ended = true;
    this.#abort.abort();
    if (this.#waiting > 0) this.#tellBusy(false);
    this.#clock?.stop();
    clearTimeout(this.#resendTimer);
    this.#view.close();
    this.#store.set(undefined);
  }

  #options(doRequest = this.#host.doRequest): InteractiveAuthOptions<unknown> {
    const { sessionId, clientSecret, emailSid, requestEmailToken } = this.#host;
    return {
      matrixClient: this.#client ?? {},
      doRequest: async (authData, background) =>
        doRequest
          ? doRequest(authData, background)
          : this.#ask(new UiaDoRequestEvent({ authData, background })),
      stateUpdated: this.#stateUpdated,
      busyChanged: this.#busyChanged,
      requestEmailToken: async (email, secret, attempt, session) =>
        requestEmailToken
          ? requestEmailToken(email, secret, attempt, session)
          : this.#ask(new UiaRequestEmailTokenEvent({ email, secret, attempt, session })),
      supportedStages: this.#host.supportedStages ?? servedStages(this.#host),
      signal: this.#abort.signal,
      inputs: this.#inputs,
      // An empty attribute counts as unset.
      sessionId: sessionId || undefined,
      clientSecret: clientSecret || undefined,
      emailSid: emailSid || undefined,
    };
  }

  get #inputs(): IInputs {
    return this.#host.inputs ?? {};
  }

  get #client(): AuthClient | undefined {
    return this.#host.client ?? DialogContexts.of(this.#host).client.value;
  }

  async #ask<Answer>(event: RespondableEvent<Answer>): Promise<Answer> {
    this.#host.dispatchEvent(event);
    if (!event.answer) throw new UiaError("no_handler", `No listener responded to ${event.type}`);
    return event.answer;
  }

  readonly #stateUpdated = (stage: string, status: IStageStatus): void => {
    if (!this.#host.isConnected) {
      throw new UiaError("not_connected", "The dialog is not in the document");
    }
    const before = this.session;
    if (!before) prefetchStages(this.#auth.getChosenFlow()?.stages ?? [], this.#host);
    this.#store.set(this.#sessionAt(stage, status));
    if (status.emailSid !== undefined && before?.status.emailSid === undefined) this.#messageSent();
    if (before?.stage !== stage) this.#enter(stage);
    this.#setClock(stage);
    this.#host.open = true;
    this.#host.dispatchEvent(new UiaStateUpdatedEvent({ nextStage: stage, status }));
  };

  #sessionAt(stage: string, status: IStageStatus): UiaSession {
    const { userId } = this.#host;
    const inputs = this.#inputs;
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
      busy: this.#waiting > 0,
      step: seen.filter((each) => completed.has(each)).length + 1,
      steps: seen.length,
      sessionId: this.#auth.getSessionId(),
      client: this.#client,
      userId:
        [userId, before?.userId, this.#client?.userId, this.#client?.getUserId?.()].find(Boolean) ??
        undefined,
      inputs,
      email: before?.email ?? inputs.emailAddress,
      phone: before?.phone,
      changing: same?.changing ?? false,
      canResend: before?.canResend ?? true,
      unfinished: false,
      ...this.#actions,
    };
  }

  /** Submits what the page has already provided, instead of asking the user. */
  #enter(stage: string): void {
    const { registrationToken, phoneCountry, phoneNumber } = this.#inputs;
    if (isToken(stage) && registrationToken) {
      void this.#actions.submit({ type: stage, token: registrationToken });
    } else if (stage === AuthType.Msisdn && phoneCountry && phoneNumber) {
      void this.#actions.requestPhoneToken(phoneCountry, phoneNumber);
    } else if (stage === AuthType.Password && this.session?.userId === undefined) {
      void this.#askWhose();
    }
  }

  async #askWhose(): Promise<void> {
    // Without a response the user is asked for the username.
    const whoami = await this.#client?.whoami?.().catch(() => undefined);
    if (whoami) this.#store.update({ userId: whoami.user_id });
  }

  /** Polls for stages that are completed elsewhere. */
  #setClock(stage: string): void {
    this.#clock?.stop();
    this.#clock =
      stage === AuthType.Email || stage === AuthType.Msisdn || isOAuth(stage)
        ? new PollClock(this.#actions.poll, intervalOf(this.#host.pollInterval))
        : undefined;
  }

  #messageSent(): void {
    if (this.#ended) return;
    clearTimeout(this.#resendTimer);
    this.#store.update({ canResend: false });
    this.#resendTimer = setTimeout(() => this.#store.update({ canResend: true }), RESEND_PAUSE_MS);
  }

  /** The engine's waits and the dialog's own may overlap: only the first start and last end are reported. */
  readonly #busyChanged = (busy: boolean): void => {
    const before = this.#waiting > 0;
    // After the end nothing is reported.
    if (this.#ended) return;
    this.#waiting += busy ? 1 : -1;
    if (before !== this.#waiting > 0) this.#tellBusy(busy);
  };

  #tellBusy(busy: boolean): void {
    this.#store.update({ busy });
    this.#host.dispatchEvent(new UiaBusyChangedEvent({ busy }));
  }

  async #untilRetry(error: unknown, signal: AbortSignal): Promise<void> {
    this.#clock?.stop();
    this.#failure = error;
    await new Promise<void>((resolve, reject) => {
      this.#retry = resolve;
      signal.addEventListener("abort", () =>
        reject(new UiaError("cancelled", "The authentication was cancelled", error)),
      );
      this.#host.requestUpdate();
    });
    this.#failure = this.#retry = undefined;
  }
}

/** An invalid interval becomes the default; `Infinity` stays. */
function intervalOf(ms: number): number {
  if (!(ms > 0)) return POLL_INTERVAL_MS;
  return ms === Infinity ? ms : Math.min(ms, MAX_TIMER_MS);
}
