import type { UiaSession, UiaSessionActions } from "../../../context/uia-session-context.js";
import type { IStageStatus, InteractiveAuth } from "../../../core/index.js";
import { AuthType, isOAuth } from "../../../core/uia/auth-type.js";
import { wait } from "../../../core/http/wait.js";
import type { BusyTracker } from "../../../core/uia/busy-tracker.js";
import { readFailure, reason } from "../../../core/uia/challenge.js";
import { retryRateLimited } from "../../../core/uia/rate-limit.js";
import type { PhoneValidation } from "./phone-validation.js";
import type { UiaSessionProvider } from "./uia-session-provider.js";

export interface SessionParts {
  readonly auth: InteractiveAuth<unknown>;
  readonly phone: PhoneValidation;
  readonly session: UiaSessionProvider;
  readonly busy: BusyTracker;
  readonly cancel: (reason?: unknown) => void;
  /** Called when a message was sent. */
  readonly sent: () => void;
  /** Aborts when the authentication is over. */
  readonly over: AbortSignal;
}

/** The actions that views have. */
export function sessionActions(parts: SessionParts): UiaSessionActions {
  const { auth, phone, session, busy, cancel, sent, over } = parts;

  /** What comes after the end must not change the next authentication, whose session is in the same place. */
  const update = (given: Partial<UiaSession>): void => {
    if (!over.aborted) session.update(given);
  };

  /** Runs an action for the current stage; a failure becomes the stage's status. */
  const report = async (run: () => Promise<void>): Promise<void> => {
    const { stage, status: { emailSid } = {} } = session.value ?? {};
    update({ status: messageOf(emailSid), unfinished: false });
    try {
      await run();
    } catch (thrown) {
      // The stage has changed: the error does not belong to the new one.
      if (session.value?.stage !== stage) return;
      // The engine's: it drops a message when another address was asked for.
      const sid = stage === AuthType.Email ? auth.getEmailSid() : undefined;
      const status = { errcode: "unexpected", ...reason(readFailure(thrown)) };
      update({ status: { ...messageOf(sid), ...status } });
    }
  };

  /** The same for work that the engine does not know about and so cannot report as busy. */
  const work = (run: () => Promise<void>): Promise<void> => report(() => busy.during(run));

  /** Waits that long, or until a change of the session makes waiting pointless. */
  const waitWhile = async (isWanted: () => boolean, ms: number): Promise<void> => {
    const unwanted = new AbortController();
    const { signal } = unwanted;
    session.addEventListener("change", () => isWanted() || unwanted.abort(), { signal });
    await wait(ms, AbortSignal.any([over, signal])).catch(() => over.throwIfAborted());
    unwanted.abort();
  };

  const change = (given: Partial<UiaSession>): void =>
    update({ ...given, changing: false, unfinished: false });

  let sending: Promise<void> | undefined;
  let polling: Promise<void> | undefined;
  const poll = (): Promise<void> =>
    (polling ??= auth.poll().finally(() => {
      polling = undefined;
    }));

  return {
    cancel,
    poll,
    submit: (authDict) => report(() => auth.submitAuthDict(authDict)),

    async finish() {
      const stage = session.value?.stage;
      if (stage === undefined || session.value?.busy) return;
      const isAsked = (): boolean => session.value?.stage === stage;
      await work(async () => {
        // A poll that is already running may have been too early.
        await polling;
        let answered = await auth.check();
        // Homeservers want one of two forms: try the other.
        if (isOAuth(stage) && isAsked()) answered &&= await auth.check();
        if (answered && isAsked()) update({ unfinished: true });
      });
    },

    async requestEmailToken(address) {
      const isOther = address !== undefined && address !== session.value?.email;
      change(isOther ? { email: address, status: {} } : {});
      await report(async () => {
        await auth.requestEmailToken(address);
        sent();
      });
    },

    async requestPhoneToken(
      country = phone.state?.country ?? "",
      number = phone.state?.phone ?? "",
    ) {
      const before = session.value;
      // The stage is not completed, and nobody is changing the number.
      const isAsked = (): boolean =>
        session.value?.stage === before?.stage && session.value?.changing === before?.changing;
      sending ??= work(async () => {
        const send = retryRateLimited(
          () => phone.send(auth.getSessionId(), country, number),
          async (status) => {
            if (!isAsked()) return false;
            update({ status });
            await waitWhile(isAsked, status.retryAfterMs);
            return isAsked();
          },
        );
        await send.catch((error: unknown) => {
          if (isAsked()) throw error;
        });
        if (!isAsked()) return;
        // If the user types a code, there is nothing to poll for before that.
        const polled = phone.submitUrl === undefined ? phone.credentials : undefined;
        auth.setThreepidCreds(AuthType.Msisdn, polled);
        change({ phone: phone.state, status: {} });
        sent();
      }).finally(() => {
        sending = undefined;
      });
      await sending;
    },

    async submitPhoneCode(code) {
      const { credentials, submitUrl } = phone;
      if (!credentials || submitUrl === undefined) return;
      await work(async () => {
        await phone.submitCode(code);
        await auth.submitAuthDict({ type: AuthType.Msisdn, threepid_creds: credentials });
      });
    },

    changeAddress: () => update({ changing: true, status: {}, unfinished: false }),
  };
}

/** The status of a stage of which only its message is known. */
const messageOf = (emailSid: string | undefined): IStageStatus =>
  emailSid === undefined ? {} : { emailSid };
