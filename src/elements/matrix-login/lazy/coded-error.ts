import { LoginError } from "../../../core/legacy/errors.js";
import type { LoginErrorCode } from "../../../core/index.js";
import type { Texts } from "../../../locales/translation.js";
import { asFlowError } from "../../shared/flow-error.js";
import { errorKey } from "../../shared/lazy/error-text.js";

/** An `OidcFlowError` or a `LoginError`. */
export type CodedError = Error & { readonly code: string };

export const asCodedError = (error: unknown): CodedError =>
  error instanceof LoginError ? error : asFlowError(error);

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

export const codedErrorKey = ({ code }: CodedError): keyof Texts =>
  TEXTS[code as LoginErrorCode] ?? errorKey(code as never);
