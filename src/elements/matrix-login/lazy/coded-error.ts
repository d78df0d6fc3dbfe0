import { MatrixError } from "../../../core/homeserver/matrix-error.js";
import { RequestError } from "../../../core/http/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { UiaError } from "../../../core/uia/errors.js";
import type { LoginErrorCode, OidcErrorCode } from "../../../core/index.js";
import type { Texts } from "../../../locales/translation.js";
import { asFlowError } from "../../shared/flow-error.js";
import { errorKey } from "../../shared/lazy/error-text.js";
import type { LoginAction } from "../matrix-login-host.js";

/** An `OidcFlowError` or a `LoginError`. */
export type CodedError = Error & { readonly code: string };

/** Of a homeserver's refusal, its `errcode` is the code. */
export function asCodedError(error: unknown): CodedError {
  if (error instanceof LoginError || error instanceof UiaError) return error;
  if (error instanceof RequestError) return error;
  if (!(error instanceof MatrixError)) return asFlowError(error);
  return Object.assign(error, { code: error.errcode ?? "unexpected_status" });
}

/** Failures after which a code of OAuth 2.0, or the tokens, can still be used. */
const LOCAL: readonly string[] = ["load_failed", "storage_unavailable", "storage_full"];

/** Whether the same may succeed if it is tried again. */
export const mayPass = (
  error: CodedError & { readonly retryable?: boolean },
  method: LoginAction | undefined,
): boolean => error.retryable === true || (method === "oauth" && LOCAL.includes(error.code));

/** What a user is told; the codes that both kinds of error have mean the same. */
const TEXTS: Partial<Record<LoginErrorCode, keyof Texts>> = {
  credentials_invalid: "errorCredentials",
  user_deactivated: "errorDeactivated",
  user_locked: "errorLocked",
  login_not_supported: "errorNoMethods",
  login_refused: "errorLoginRefused",
  login_token_refused: "errorFlowExpired",
  login_response_invalid: "errorServer",
  user_mismatch: "errorOtherUser",
};

export function codedErrorKey(error: CodedError): keyof Texts {
  if (error instanceof MatrixError) return matrixErrorKey(error);
  return TEXTS[error.code as LoginErrorCode] ?? errorKey(error.code as OidcErrorCode);
}

function matrixErrorKey({ httpStatus }: MatrixError): keyof Texts {
  if (httpStatus === 429) return "errorRateLimited";
  return httpStatus >= 500 ? "errorServer" : "uiaRefused";
}
