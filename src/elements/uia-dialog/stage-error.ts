import type { UiaSession } from "../../context/uia-session.js";
import type { IStageStatus } from "../../core/index.js";
import { AuthType, isRegistrationToken } from "../../core/uia/options.js";
import type { ErrorView } from "../../errors/error-view.js";
import { loadedTexts } from "../../texts/part-texts.js";
import type { Texts } from "../../texts/texts.js";
import { NOT_ACCEPTED } from "./options.js";
import type { Message } from "../../ui/format-text.js";
import type { LocalizeController } from "../../ui/localize.js";

export interface StageError {
  /** The sentence, with the homeserver's own message. */
  readonly message: Message;
  readonly code: string;
}

/** This library's codes, unlike a homeserver's in capitals. Their messages are for developers. */
const OWN_CODE = /^(aborted|timeout|unexpected|[a-z]+(_[a-z]+)+)$/;

/** Not `M_UNKNOWN`, which Synapse also sends if it can't reach another server. */
const REFUSAL_ERRCODES: readonly string[] = ["M_FORBIDDEN", "M_UNAUTHORIZED", NOT_ACCEPTED];

/** Undefined also while its message is loading. */
export function stageError(
  localize: LocalizeController,
  errors: ErrorView,
  session: UiaSession,
): StageError | undefined {
  const { status, unfinished } = session;
  const { errcode = "", error, retryAfterMs, emailSid } = status;
  if (!(errcode || error) || retryAfterMs !== undefined || unfinished) return undefined;
  // A link that has not been followed yet is not an error.
  const isWaiting = session.stage === AuthType.Email && emailSid !== undefined;
  if (isWaiting && errcode === "M_UNAUTHORIZED") return undefined;
  const otherwise = isOwnCode(errcode) ? "errorServer" : refusalText(session);
  const message = errors.messageOf(
    status,
    errcode,
    ({ ERRORS, STAGE_ERRORS, keyOfCode, withReason }) => {
      // The part of the stage has the texts about its input.
      const key = keyOfCode<keyof Texts>(
        localize,
        { ...ERRORS, ...STAGE_ERRORS },
        errcode,
        otherwise,
      );
      return withReason(key, loadedTexts.term(localize, key), ownWords(status));
    },
  );
  return message === undefined ? undefined : { code: errcode, message };
}

const isOwnCode = (errcode: string): boolean => OWN_CODE.test(errcode) && errcode !== NOT_ACCEPTED;

/** The homeserver's message. A message with a code of this library is for developers. */
export const ownWords = ({ errcode = "", error }: IStageStatus): string | undefined =>
  isOwnCode(errcode) ? undefined : error;

/** The messages for rejected input. */
function refusalText({ stage, status, phone, changing }: UiaSession): keyof Texts {
  const asksNumber = stage === AuthType.Msisdn && (!phone || changing);
  if (asksNumber && status.errcode === "M_INVALID_PARAM") return "phoneInvalid";
  if (!REFUSAL_ERRCODES.includes(status.errcode ?? "")) return "requestRefused";
  if (stage === AuthType.Password) return "passwordWrong";
  if (stage === AuthType.Msisdn && !asksNumber) return "codeWrong";
  return isRegistrationToken(stage) ? "tokenWrong" : "requestRefused";
}
