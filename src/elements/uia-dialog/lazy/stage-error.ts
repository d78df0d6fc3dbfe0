import type { TemplateResult } from "lit";
import type { UiaSession } from "../../../context/uia-session.js";
import { AuthType } from "../../../core/uia/auth-type.js";
import type { Texts } from "../../../texts/texts.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import type { LocalizeController } from "../../../ui/localize.js";
import { isToken } from "./stages/index.js";

/** What went wrong, as users see it. */
export interface StageError {
  readonly text: keyof Texts;
  /** If it comes neither from the homeserver nor from the engine. */
  readonly code?: string;
  /** The homeserver's own words. */
  readonly reason?: string | undefined;
}

/** The code where a homeserver asks for the same stage once more and gives no reason. */
export const NOT_ACCEPTED = "not_accepted";

const TEXTS: Readonly<Record<string, keyof Texts>> = {
  M_THREEPID_IN_USE: "addressInUse",
  M_THREEPID_NOT_FOUND: "addressUnknown",
  M_THREEPID_DENIED: "addressDenied",
  M_THREEPID_MEDIUM_NOT_SUPPORTED: "addressDenied",
  M_TOKEN_INCORRECT: "codeWrong",
  M_SESSION_EXPIRED: "codeWrong",
  M_LIMIT_EXCEEDED: "errorServer",
  load_failed: "errorLoadFailed",
  network_error: "errorNetwork",
  timeout: "errorNetwork",
  response_not_json: "errorServer",
  server_error: "errorServer",
  unexpected_status: "errorServer",
  no_handler: "errorPageSettings",
  validation_invalid: "errorServer",
  unexpected: "errorServer",
};

const REFUSALS: readonly (string | undefined)[] = [
  "M_FORBIDDEN",
  "M_UNAUTHORIZED",
  "M_UNKNOWN",
  NOT_ACCEPTED,
];

/** The error of a stage; undefined if nothing is wrong. */
export function stageError({ stage, status, phone, changing }: UiaSession): StageError | undefined {
  const { errcode, error, retryAfterMs, emailSid } = status;
  if ((errcode ?? error) === undefined || retryAfterMs !== undefined) return undefined;
  const text = errcode !== undefined && Object.hasOwn(TEXTS, errcode) ? TEXTS[errcode] : undefined;
  // What comes with a code of this library, which is not in capitals, is for developers.
  const reason = text && /^[a-z]/.test(errcode ?? "") ? undefined : error;
  if (REFUSALS.includes(errcode)) {
    // A link that has not been followed yet is not an error.
    if (stage === AuthType.Email && emailSid !== undefined && errcode === "M_UNAUTHORIZED") {
      return undefined;
    }
    if (stage === AuthType.Password) return { text: "passwordWrong", reason };
    if (stage === AuthType.Msisdn && phone && !changing) return { text: "codeWrong", reason };
    if (isToken(stage)) return { text: "tokenWrong", reason };
  }
  return { text: text ?? "requestRefused", reason };
}

export const renderStageError = (
  localize: LocalizeController,
  { text, reason }: StageError,
): TemplateResult => withReason(localize.term(text), reason);
