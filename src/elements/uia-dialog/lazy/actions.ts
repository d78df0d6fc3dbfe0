import type { UiaSessionActions } from "../../../context/uia-session.js";
import type { IStageStatus } from "../../../core/index.js";
import { failureStatus, readFailure } from "../../../core/uia/failure.js";
import { AuthType, isOAuth } from "../../../core/uia/options.js";
import type { PhoneValidation } from "./phone/validation.js";
import type { SessionParts } from "./session-provider.js";
import { NOT_ACCEPTED } from "./stage-error.js";
import { loadPhone } from "./stages/index.js";

export function sessionActions(parts: SessionParts): UiaSessionActions {
  const { auth, session, update, busy, cancel, sent } = parts;

  const report = async (run: () => Promise<void>): Promise<void> => {
    const { stage, status: { emailSid } = {} } = session.value ?? {};
    update({ status: messageOf(emailSid), unfinished: false });
    try {
      await run();
    } catch (thrown) {
      // The stage has changed: the error does not belong to the new one.
      if (session.value?.stage !== stage) return;
      // Use the engine's ID, because it drops a message if another address was requested.
      const sid = stage === AuthType.Email ? auth.getEmailSid() : undefined;
      const status = { errcode: "unexpected", ...failureStatus(readFailure(thrown)) };
      update({ status: { ...messageOf(sid), ...status } });
    }
  };

  /** Like `report`, for requests outside the engine, which the engine can't report as busy. */
  const work = (run: () => Promise<void>): Promise<void> => report(() => busy.during(run));

  let validation: PhoneValidation | undefined;
  /** Loaded on demand, because few authentications need a phone number. */
  const phone = async (): Promise<PhoneValidation> => {
    const { PhoneValidation } = await loadPhone();
    return (validation ??= new PhoneValidation(parts));
  };

  let sending: Promise<void> | undefined;
  let polling: Promise<void> | undefined;
  const poll = (): Promise<void> =>
    (polling ??= auth.poll().finally(() => {
      polling = undefined;
    }));

  return {
    cancel,
    poll,
    async submit(authDict) {
      await report(async () => {
        const before = session.value;
        await auth.submitAuthDict(authDict);
        const { stage, status } = session.value ?? {};
        if (!before || !status || stage !== before.stage || status === before.status) return;
        // The homeserver asks for the same once more: the user must be told that it was rejected.
        if (Object.keys(status).length === 0) update({ status: { errcode: NOT_ACCEPTED } });
      });
    },

    async finish() {
      const stage = session.value?.stage;
      if (stage === undefined || session.value?.busy) return;
      const isAsked = (): boolean => session.value?.stage === stage;
      await work(async () => {
        // A running poll might have been too early.
        await polling;
        let answered = await auth.check();
        // Homeservers accept one of two forms, so try the other one.
        if (isOAuth(stage) && isAsked()) answered &&= await auth.check();
        if (!answered || !isAsked()) return;
        const error = auth.getCheckMessage();
        const { status } = session.value ?? {};
        update({ unfinished: true, ...(error && { status: { ...status, error } }) });
      });
    },

    async requestEmailToken(address) {
      const isOther = address !== undefined && address !== session.value?.email;
      const given = isOther ? { email: address, status: {} } : {};
      update({ ...given, changing: false, unfinished: false });
      await report(async () => {
        await auth.requestEmailToken(address);
        sent();
      });
    },

    async requestPhoneToken(country, number) {
      const before = session.value;
      const { country: lastCountry = "", phone: lastNumber = "" } = before?.phone ?? {};
      sending ??= work(async () =>
        (await phone()).send(before, country ?? lastCountry, number ?? lastNumber),
      ).finally(() => {
        sending = undefined;
      });
      await sending;
    },

    async submitPhoneCode(code) {
      if (session.value?.phone?.wantsCode) await work(async () => (await phone()).submitCode(code));
    },

    tryOtherWay: () => report(() => auth.chooseOtherFlow()),

    changeAddress: () => update({ changing: true, status: {}, unfinished: false }),
  };
}

const messageOf = (emailSid: string | undefined): IStageStatus =>
  emailSid === undefined ? {} : { emailSid };
