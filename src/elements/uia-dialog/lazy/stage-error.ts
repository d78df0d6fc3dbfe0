import type { TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import type { IStageStatus } from "../../../core/index.js";
import { AuthType, isRegistrationToken } from "../../../core/uia/options.js";
import {
  ACCOUNT_ERRORS,
  textOfCode,
  type ErrorTexts,
  REQUEST_ERRORS,
  UIA_ERRORS,
} from "../../../errors/lazy/error-text.js";
import { loadedTexts } from "../../../texts/part-texts.js";
import type { Texts } from "../../../texts/texts.js";
import { NOT_ACCEPTED } from "./host.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import type { LocalizeController } from "../../../ui/localize.js";

export interface StageError {
  /** The sentence, with the homeserver's own words. */
  readonly message: TemplateResult;
  /** An error that comes neither from the homeserver nor from the engine. */
  readonly code?: string;
}

/** This library's codes, unlike a homeserver's in capitals. Their messages are for developers. */
const OWN_CODE = /^(aborted|timeout|unexpected|[a-z]+(_[a-z]+)+)$/;

/** The messages for a stage. It has fewer than a sign-in, and its homeserver's codes are about the user's input. */
const STAGE_ERRORS: ErrorTexts = {
  ...REQUEST_ERRORS,
  ...UIA_ERRORS,
  ...ACCOUNT_ERRORS,
  aborted: "errorNetwork",
  timeout: "errorNetwork",
  unexpected: "errorUnexpected",
  session_ended: "errorFlowExpired",
  refresh_not_possible: "errorFlowExpired",
  M_LIMIT_EXCEEDED: "errorRateLimited",
  M_THREEPID_IN_USE: "alreadyInUse",
  M_THREEPID_NOT_FOUND: "addressUnknown",
  M_THREEPID_DENIED: "notAllowed",
  M_THREEPID_MEDIUM_NOT_SUPPORTED: "notAllowed",
  M_TOKEN_INCORRECT: "codeWrong",
  M_SESSION_EXPIRED: "codeWrong",
};

/** Not `M_UNKNOWN`, which Synapse also sends if it can't reach another server. */
const REFUSAL_ERRCODES: readonly string[] = ["M_FORBIDDEN", "M_UNAUTHORIZED", NOT_ACCEPTED];

export function stageError(
  localize: LocalizeController,
  session: UiaSession,
): StageError | undefined {
  const { status, unfinished } = session;
  const { errcode = "", error, retryAfterMs, emailSid } = status;
  if (!(errcode || error) || retryAfterMs !== undefined || unfinished) return undefined;
  // A link that has not been followed yet is not an error.
  const isWaiting = session.stage === AuthType.Email && emailSid !== undefined;
  if (isWaiting && errcode === "M_UNAUTHORIZED") return undefined;
  const otherwise = isOwnCode(errcode) ? "errorServer" : refusalText(session);
  // The part of the stage has the texts about its input.
  const term = (key: keyof Texts): string => loadedTexts.term(localize, key);
  const sentence = textOfCode(term, STAGE_ERRORS, errcode, otherwise);
  return { message: withReason(sentence, ownWords(status)) };
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
