import { MatrixError } from "../../../core/matrix/error.js";
import type { LoginErrorCode, OidcErrorCode } from "../../../core/index.js";
import type { Texts } from "../../../locales/translation.js";
import { asFlowError } from "../flow-error.js";
import type { LocalizeController } from "../localize.js";
import { isRateLimit } from "./countdown.js";
import { errorSentence } from "./error-text.js";

/** An error of the library: each of its classes has a `code`, and a server's own words if it gave any. */
export type CodedError = Error & { readonly code: string; readonly reason?: string | undefined };

/** Of a homeserver's refusal, its `errcode` is the code. */
export function asCodedError(error: unknown): CodedError {
  if (error instanceof MatrixError) {
    return Object.assign(error, { code: error.errcode ?? "unexpected_status" });
  }
  const isCoded = error instanceof Error && typeof (error as Partial<CodedError>).code === "string";
  return isCoded ? (error as CodedError) : asFlowError(error);
}

/** Whether the account exists, but cannot be used yet (MSC3866). */
export const isAwaitingApproval = (error: unknown): boolean =>
  error instanceof MatrixError && !!error.errcode?.endsWith("USER_AWAITING_APPROVAL");

/** Whether the same call may succeed if it is made again. */
export const isRetryable = (error: CodedError & { readonly retryable?: boolean }): boolean =>
  error.retryable === true;

/** What a user is told; the codes that both kinds of error have mean the same. */
const TEXTS: Partial<Record<string, keyof Texts>> = {
  credentials_invalid: "errorCredentials",
  user_deactivated: "errorDeactivated",
  user_locked: "errorLocked",
  user_awaiting_approval: "errorAwaitingApproval",
  login_not_supported: "errorNoMethods",
  login_refused: "errorLoginRefused",
  login_token_refused: "errorFlowExpired",
  login_response_invalid: "errorServer",
  user_mismatch: "errorOtherUser",
} satisfies Record<Exclude<LoginErrorCode, OidcErrorCode>, keyof Texts>;

/**
 * What users see for an error.
 *
 * @param sentence What they see for an error of OAuth 2.0, by its code.
 */
export function codedErrorSentence(
  localize: Pick<LocalizeController, "term">,
  error: CodedError,
  sentence: (code: OidcErrorCode) => string = (code) => errorSentence(localize, code),
): string {
  const key = error instanceof MatrixError ? matrixErrorKey(error) : TEXTS[error.code];
  return key ? localize.term(key) : sentence(error.code as OidcErrorCode);
}

function matrixErrorKey(error: MatrixError): keyof Texts {
  const { httpStatus, errcode } = error;
  if (errcode === "M_USER_LOCKED") return "errorLocked";
  if (errcode === "M_USER_DEACTIVATED") return "errorDeactivated";
  if (isAwaitingApproval(error)) return "errorAwaitingApproval";
  if (isRateLimit({ httpStatus })) return "errorRateLimited";
  return httpStatus >= 500 ? "errorServer" : "uiaRefused";
}
