import type { LoginErrorCode, OidcErrorCode } from "../../core/index.js";
import { MatrixError } from "../../core/matrix/error.js";
import { asFlowError } from "../../core/oauth/errors.js";
import type { Texts } from "../../texts/texts.js";
import { isRateLimit } from "../../ui/lazy/countdown.js";
import type { LocalizeController } from "../../ui/localize.js";

export type ErrorText = Extract<keyof Texts, `error${string}`>;

/** The codes of each text: they are for the page's author; a user needs to know what to do. */
const CODES = {
  errorNetwork: ["network_error", "aborted", "keys_unavailable"],
  errorTimeout: ["timeout"],
  errorRateLimited: ["rate_limited"],
  errorServer: [
    "server_error",
    "unexpected_status",
    "unexpected_redirect",
    "response_too_large",
    "response_not_json",
  ],
  errorProviderSettings: [
    "metadata_invalid",
    "issuer_invalid",
    "issuer_unconfirmed",
    "registration_invalid",
  ],
  errorUntrustworthy: [
    "issuer_mismatch",
    "response_malformed",
    "token_response_invalid",
    "id_token_missing",
    "id_token_invalid",
    "id_token_signature",
  ],
  errorPageSettings: ["settings_invalid"],
  errorStorageBlocked: ["storage_unavailable"],
  errorStorageFull: ["storage_full"],
  errorFlowUnknown: ["flow_unknown"],
  errorFlowExpired: [
    "flow_expired",
    "flow_invalid",
    "code_rejected",
    "session_ended",
    "refresh_not_possible",
  ],
  errorDenied: ["access_denied"],
  errorProviderRefused: [
    "authorization_failed",
    "token_request_refused",
    "scope_not_granted",
    "token_refused",
  ],
  errorClock: ["id_token_time"],
  errorLoadFailed: ["load_failed"],
} as const satisfies Partial<Record<ErrorText, readonly OidcErrorCode[]>>;

/** The same for what fails on the way to the provider alone. */
export const LOGIN_CODES = {
  errorHomeserverMissing: ["homeserver_missing"],
  errorHomeserverInvalid: ["homeserver_invalid"],
  errorHomeserverSettings: ["well_known_invalid"],
  errorNotSupported: ["oidc_not_supported"],
  errorNoNewAccounts: ["prompt_not_supported"],
  errorInsecure: ["insecure_context"],
  errorApplicationRefused: ["registration_not_supported", "registration_refused"],
} as const satisfies Partial<Record<ErrorText, readonly OidcErrorCode[]>>;

/** The rest: users see what they see for a code that this version does not know. */
type OtherCode =
  | "store_not_synchronous"
  | "store_not_listable"
  | "port_unavailable"
  | "browser_unavailable"
  | "unexpected";

type CodesIn<Table> = Table[keyof Table] extends readonly (infer Code)[] ? Code : never;

/** The key of the text that users see for an error's code. Its parameter's type has the compiler require one of each. */
function errorKey(
  code: CodesIn<typeof CODES> | CodesIn<typeof LOGIN_CODES> | OtherCode,
  further: Partial<typeof LOGIN_CODES>,
): ErrorText {
  const texts = Object.entries({ ...CODES, ...further }) as [ErrorText, readonly OidcErrorCode[]][];
  return texts.find(([, codes]) => codes.includes(code))?.[0] ?? "errorUnexpected";
}

/**
 * What users see for an error's code.
 *
 * @param further Codes that occur only on some pages.
 */
export const errorSentence = (
  localize: Pick<LocalizeController, "term">,
  code: OidcErrorCode,
  further: Partial<typeof LOGIN_CODES> = {},
): string =>
  // A page has no text for a code that does not occur on it.
  localize.term(errorKey(code, further)) || localize.term("errorUnexpected");

/** While a homeserver is looked up, a typing mistake is the likeliest cause. */
const LOOK_UP_TEXTS: Partial<Record<OidcErrorCode, ErrorText>> = {
  network_error: "errorUnreachable",
  homeserver_invalid: "errorNotAServer",
};

/**
 * What users see for an error's code on the way to the provider.
 *
 * @param soughtServer The homeserver that could not be found, as it was typed.
 */
export function loginErrorSentence(
  localize: Pick<LocalizeController, "term">,
  code: OidcErrorCode,
  soughtServer?: string,
): string {
  const key = soughtServer && navigator.onLine ? LOOK_UP_TEXTS[code] : undefined;
  if (!key || soughtServer === undefined) return errorSentence(localize, code, LOGIN_CODES);
  // Isolated, because its direction may differ from the text's.
  return localize.term(key).replace("{server}", () => `\u2068${soughtServer.trim()}\u2069`);
}

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
  return httpStatus >= 500 ? "errorServer" : "requestRefused";
}
