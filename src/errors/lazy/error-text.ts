import type { LoginErrorCode, OidcErrorCode, UiaErrorCode } from "../../core/index.js";
import { MatrixError } from "../../core/matrix/error.js";
import { asFlowError } from "../../core/oauth/errors.js";
import type { basicTexts } from "../../texts/english.js";
import type { Texts } from "../../texts/texts.js";
import type { CodedError } from "../../ui/error-box.js";

// The text of each error's code. Codes are for the developer. The message tells the user what to do.

export type ErrorTexts = Readonly<Record<string, keyof Texts>>;

type Section<Code extends string> = Partial<Record<Code, keyof Texts>>;

export const REQUEST_ERRORS = {
  network_error: "errorNetwork",
  server_error: "errorServer",
  rate_limited: "errorRateLimited",
  unexpected_status: "errorServer",
  response_not_json: "errorServer",
  load_failed: "errorLoadFailed",
} as const satisfies Section<OidcErrorCode>;

const OAUTH_ERRORS = {
  aborted: "errorNetwork",
  keys_unavailable: "errorNetwork",
  timeout: "errorNetwork",
  unexpected_redirect: "errorServer",
  response_too_large: "errorServer",
  metadata_invalid: "errorProviderSettings",
  issuer_invalid: "errorProviderSettings",
  issuer_unconfirmed: "errorProviderSettings",
  registration_invalid: "errorProviderSettings",
  issuer_mismatch: "errorUntrustworthy",
  response_malformed: "errorUntrustworthy",
  token_response_invalid: "errorUntrustworthy",
  id_token_missing: "errorUntrustworthy",
  id_token_invalid: "errorUntrustworthy",
  id_token_signature: "errorUntrustworthy",
  settings_invalid: "errorPageSettings",
  storage_unavailable: "errorStorageBlocked",
  store_key_taken: "errorPageSettings",
  storage_full: "errorStorageFull",
  access_denied: "errorDenied",
  authorization_failed: "errorProviderRefused",
  token_request_refused: "errorProviderRefused",
  scope_not_granted: "errorProviderRefused",
  login_refused: "requestRefused",
  token_refused: "errorProviderRefused",
} as const satisfies Section<OidcErrorCode>;

const COMPLETION_ERRORS = {
  flow_unknown: "errorFlowUnknown",
  flow_expired: "errorFlowExpired",
  flow_invalid: "errorFlowExpired",
  code_rejected: "errorFlowExpired",
  user_mismatch: "errorOtherUser",
  id_token_time: "errorClock",
} as const satisfies Section<OidcErrorCode>;

const SESSION_ERRORS = {
  session_ended: "errorFlowExpired",
  refresh_not_possible: "errorFlowExpired",
} as const satisfies Section<OidcErrorCode>;

const LOGIN_ERRORS = {
  homeserver_missing: "errorHomeserverMissing",
  homeserver_invalid: "errorHomeserverInvalid",
  well_known_invalid: "errorHomeserverSettings",
  oidc_not_supported: "errorNotSupported",
  prompt_not_supported: "errorNoNewAccounts",
  insecure_context: "errorInsecure",
  registration_not_supported: "errorApplicationRefused",
  registration_refused: "errorApplicationRefused",
} as const satisfies Section<OidcErrorCode>;

const LEGACY_ERRORS = {
  user_deactivated: "errorDeactivated",
  user_locked: "errorLocked",
  user_awaiting_approval: "errorAwaitingApproval",
  login_not_supported: "errorNoMethods",
  login_token_refused: "errorFlowExpired",
  login_response_invalid: "errorServer",
} as const satisfies Section<LoginErrorCode>;

const PASSWORD_ERRORS = {
  credentials_invalid: "errorCredentials",
  user_elsewhere: "errorUserElsewhere",
} as const satisfies Section<LoginErrorCode>;

export const UIA_ERRORS = {
  no_auth_flow: "requestRefused",
  flow_exhausted: "requestRefused",
  dummy_refused: "requestRefused",
  validation_invalid: "errorServer",
  email_missing: "errorPageSettings",
  no_handler: "errorPageSettings",
  not_attempting: "errorPageSettings",
  not_connected: "errorPageSettings",
  not_visible: "errorPageSettings",
  account_mismatch: "errorPageSettings",
} as const satisfies Section<UiaErrorCode>;

/** Unknown codes have a generic message. A cancellation has none. */
type CodeWithoutText =
  | "store_not_synchronous"
  | "store_not_listable"
  | "port_unavailable"
  | "browser_unavailable"
  | "unexpected"
  | "cancelled";

type LibraryCode = OidcErrorCode | LoginErrorCode | UiaErrorCode;

/** The type requires a text for each code. */
const ALL_ERRORS = {
  ...REQUEST_ERRORS,
  ...OAUTH_ERRORS,
  ...COMPLETION_ERRORS,
  ...SESSION_ERRORS,
  ...LOGIN_ERRORS,
  ...LEGACY_ERRORS,
  ...PASSWORD_ERRORS,
  ...UIA_ERRORS,
} as const satisfies Record<Exclude<LibraryCode, CodeWithoutText>, keyof Texts>;

/** A homeserver's codes for an account that can't be used. */
export const ACCOUNT_ERRORS = {
  M_USER_DEACTIVATED: "errorDeactivated",
  M_USER_LOCKED: "errorLocked",
  M_USER_AWAITING_APPROVAL: "errorAwaitingApproval",
  // MSC3866
  "ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL": "errorAwaitingApproval",
} as const satisfies ErrorTexts;

interface ErrorTables {
  readonly request: typeof REQUEST_ERRORS;
  readonly oauth: typeof OAUTH_ERRORS;
  readonly completion: typeof COMPLETION_ERRORS;
  readonly session: typeof SESSION_ERRORS;
  readonly login: typeof LOGIN_ERRORS;
  readonly legacy: typeof LEGACY_ERRORS;
  readonly password: typeof PASSWORD_ERRORS;
  readonly uia: typeof UIA_ERRORS;
  /** A {@link MatrixError}, whose other codes have the text of their status. */
  readonly matrix: typeof ACCOUNT_ERRORS;
}

/** A kind of errors that an element shows. */
export type ErrorKind = keyof ErrorTables;

type ValueOf<Table> = Table extends unknown ? Table[keyof Table] : never;

/** The texts for errors of these kinds. Every part has the basic texts. */
export type ErrorTextKey<Kind extends ErrorKind> = Exclude<
  ValueOf<ErrorTables[Kind]> | "errorUnexpected",
  keyof typeof basicTexts
>;

type AnyKey = ErrorTextKey<ErrorKind> | "errorLoadFailed" | "errorUnreachable";

/** @param server The server that was looked up, as it was typed: a typing mistake is likely. */
export function sentenceOf(
  term: (key: AnyKey) => string,
  error: CodedError,
  server?: string,
): string {
  if (server && error.code === "network_error" && navigator.onLine) {
    // Isolated, because its direction may differ from the text's.
    return term("errorUnreachable").replace("{server}", () => `\u2068${server.trim()}\u2069`);
  }
  // A homeserver's code can be any word, even one of the library.
  return error instanceof MatrixError
    ? textOfCode(term, ACCOUNT_ERRORS, error.code, textOfStatus(error.httpStatus))
    : textOfCode(term, ALL_ERRORS, error.code, "errorUnexpected");
}

/** The text of a code in a table. Of a code that it lacks, or whose text isn't loaded, another one. */
export function textOfCode<Key extends keyof Texts>(
  term: (key: Key) => string,
  table: Readonly<Record<string, Key>>,
  code: string,
  otherwise: Key,
): string {
  // A code such as "constructor" must not find a text.
  const key = Object.hasOwn(table, code) ? table[code] : undefined;
  return (key && term(key)) || term(otherwise);
}

const textOfStatus = (status: number): "errorRateLimited" | "errorServer" | "requestRefused" =>
  status === 429 ? "errorRateLimited" : status >= 500 ? "errorServer" : "requestRefused";

export type { CodedError };

export function asCodedError(error: unknown): CodedError {
  const isCoded = error instanceof Error && typeof (error as Partial<CodedError>).code === "string";
  return isCoded ? (error as CodedError) : asFlowError(error);
}

export const isAwaitingApproval = (error: unknown): error is MatrixError =>
  error instanceof MatrixError &&
  (ACCOUNT_ERRORS as ErrorTexts)[error.code] === "errorAwaitingApproval";

export const isRetryable = (error: unknown): boolean =>
  (asCodedError(error) as { readonly retryable?: boolean }).retryable === true;
