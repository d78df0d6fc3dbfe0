import type { UiaSession } from "../../../context/uia-session.js";
import { AuthType } from "../../../core/uia/auth-type.js";
import {
  errorSentence,
  type ErrorTexts,
  REQUEST_ERRORS,
  UIA_ERRORS,
} from "../../../sign-in/lazy/error-text.js";
import type { Texts } from "../../../texts/texts.js";
import type { LocalizeController } from "../../../ui/localize.js";
import { isRegistrationToken } from "./stages/index.js";

export interface StageError {
  readonly sentence: string;
  /** If it comes neither from the homeserver nor from the engine. */
  readonly code?: string;
  readonly reason?: string | undefined;
}

/** The code where a homeserver asks for the same stage once more and gives no reason. */
export const NOT_ACCEPTED = "not_accepted";

/** A stage has fewer texts than signing in, and its homeserver's codes are about what was typed. */
const STAGE_ERRORS: ErrorTexts = {
  ...REQUEST_ERRORS,
  timeout: "errorNetwork",
  unexpected: "errorServer",
  no_handler: UIA_ERRORS.no_handler,
  validation_invalid: UIA_ERRORS.validation_invalid,
  M_LIMIT_EXCEEDED: "errorServer",
  M_THREEPID_IN_USE: "addressInUse",
  M_THREEPID_NOT_FOUND: "addressUnknown",
  M_THREEPID_DENIED: "addressDenied",
  M_THREEPID_MEDIUM_NOT_SUPPORTED: "addressDenied",
  M_TOKEN_INCORRECT: "codeWrong",
  M_SESSION_EXPIRED: "codeWrong",
};

const REFUSAL_ERRCODES: readonly string[] = [
  "M_FORBIDDEN",
  "M_UNAUTHORIZED",
  "M_UNKNOWN",
  NOT_ACCEPTED,
];

export function stageError(
  localize: LocalizeController,
  session: UiaSession,
): StageError | undefined {
  const { errcode = "", error, retryAfterMs, emailSid } = session.status;
  if (!(errcode || error) || retryAfterMs !== undefined) return undefined;
  // A link that has not been followed yet is not an error.
  const isWaiting = session.stage === AuthType.Email && emailSid !== undefined;
  if (isWaiting && errcode === "M_UNAUTHORIZED") return undefined;
  const otherwise = REFUSAL_ERRCODES.includes(errcode) ? refusalText(session) : "requestRefused";
  const sentence = errorSentence(localize, errcode, { texts: STAGE_ERRORS, otherwise });
  // What comes with a code of this library, which is not in capitals, is for developers.
  const isOurs = /^[a-z]/.test(errcode) && Object.hasOwn(STAGE_ERRORS, errcode);
  return { sentence, reason: isOurs ? undefined : error };
}

/** What a homeserver means that refuses what was typed. */
function refusalText({ stage, phone, changing }: UiaSession): keyof Texts {
  if (stage === AuthType.Password) return "passwordWrong";
  if (stage === AuthType.Msisdn && phone && !changing) return "codeWrong";
  return isRegistrationToken(stage) ? "tokenWrong" : "requestRefused";
}
