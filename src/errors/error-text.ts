import type { LoginErrorCode, OidcErrorCode, UiaErrorCode } from "../core/index.js";
import { codeOfStatus } from "../core/http/failures.js";
import type { UiaSession } from "../context/uia-session.js";
import { MatrixError } from "../core/matrix/error.js";
import { AuthType, isRegistrationToken } from "../core/uia/options.js";
import {
  completionErrorTexts,
  loginErrorTexts,
  matrixLoginErrorTexts,
  oauthTexts,
  requestTexts,
} from "../texts/english.js";
import { type Localize, loadedTexts, partTexts } from "../texts/part-texts.js";
import type { Texts } from "../texts/texts.js";
import { type CodedError, NOT_ACCEPTED } from "./coded-error.js";

const texts = partTexts(
  requestTexts,
  oauthTexts,
  loginErrorTexts,
  completionErrorTexts,
  matrixLoginErrorTexts,
);
type TextKey = Parameters<typeof texts.term>[1];

type ErrorTexts<Key extends keyof Texts> = Readonly<Record<string, Key>>;

type LibraryCode = OidcErrorCode | LoginErrorCode | UiaErrorCode;

/** Unknown codes have a generic message. A cancellation has none. */
type CodeWithoutText =
  | "store_not_synchronous"
  | "store_not_listable"
  | "port_unavailable"
  | "browser_unavailable"
  | "unexpected"
  | "cancelled";

/**
 * The text for each code. The code is for the developer; the text tells the user what to do. The
 * type requires a text for each code of the library.
 */
const ERRORS = {
  // Requests.
  network_error: "errorNetwork",
  timeout: "errorSlow",
  aborted: "errorNetwork",
  rate_limited: "errorRateLimited",
  server_error: "errorServer",
  unexpected_status: "errorServer",
  unexpected_redirect: "errorServer",
  response_too_large: "errorServer",
  response_not_json: "errorServer",
  load_failed: "errorLoadFailed",
  // OAuth 2.0.
  keys_unavailable: "errorNetwork",
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
  // The account might be locked at its provider.
  token_refused: "errorTokenRefused",
  // The completion of a sign-in, and sessions.
  flow_unknown: "errorFlowUnknown",
  flow_expired: "errorFlowExpired",
  flow_invalid: "errorFlowExpired",
  code_rejected: "errorFlowExpired",
  user_mismatch: "errorOtherUser",
  id_token_time: "errorClock",
  session_ended: "errorFlowExpired",
  refresh_not_possible: "errorFlowExpired",
  // The start of a sign-in.
  homeserver_missing: "errorHomeserverMissing",
  homeserver_invalid: "errorHomeserverInvalid",
  well_known_invalid: "errorHomeserverSettings",
  oidc_not_supported: "errorNotSupported",
  prompt_not_supported: "errorNoNewAccounts",
  insecure_context: "errorInsecure",
  registration_not_supported: "errorApplicationRefused",
  registration_refused: "errorApplicationRefused",
  // A homeserver without OAuth 2.0.
  user_deactivated: "errorDeactivated",
  user_locked: "errorLocked",
  user_awaiting_approval: "errorAwaitingApproval",
  login_not_supported: "errorNoMethods",
  login_token_refused: "errorFlowExpired",
  login_response_invalid: "errorServer",
  credentials_invalid: "errorCredentials",
  user_elsewhere: "errorUserElsewhere",
  // User-Interactive Authentication.
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
  // A homeserver's codes for an account that can't be used.
  M_USER_DEACTIVATED: "errorDeactivated",
  M_USER_LOCKED: "errorLocked",
  M_USER_AWAITING_APPROVAL: "errorAwaitingApproval",
  // MSC3866
  "ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL": "errorAwaitingApproval",
  M_RESOURCE_LIMIT_EXCEEDED: "errorHomeserverFull",
  // The homeserver has rejected a new token, too.
  M_UNKNOWN_TOKEN: "errorTokenRefused",
} as const satisfies Readonly<
  Record<Exclude<LibraryCode, CodeWithoutText> | `M_${string}` | `ORG.${string}`, TextKey>
>;

/** The texts at a stage, where the homeserver's codes are about the user's input. */
const STAGE_ERRORS: ErrorTexts<keyof Texts> = {
  unexpected: "errorUnexpected",
  M_LIMIT_EXCEEDED: "errorRateLimited",
  M_THREEPID_IN_USE: "alreadyInUse",
  M_THREEPID_NOT_FOUND: "addressUnknown",
  M_THREEPID_DENIED: "notAllowed",
  M_THREEPID_MEDIUM_NOT_SUPPORTED: "notAllowed",
  M_TOKEN_INCORRECT: "codeWrong",
  M_SESSION_EXPIRED: "codeWrong",
};

/** The message for an error. */
interface Sentence {
  readonly key: TextKey;
  readonly text: string;
}

/**
 * Isolated, because its direction may differ from the text's. Without marks of direction, because
 * they could end the isolation.
 */
export const isolatedText = (text: string): string =>
  `\u2068${text.replace(/\p{Bidi_C}/gu, "").trim()}\u2069`;

/** @param server The server that was looked up, as it was typed: a typing mistake is likely. */
export function sentenceOf(localize: Localize, error: CodedError, server?: string): Sentence {
  const isUnreachable = server && error.code === "network_error" && navigator.onLine;
  const key = isUnreachable ? "errorUnreachable" : keyOfError(localize, error);
  const { homeserver: named = server } = error as { readonly homeserver?: string };
  return {
    key,
    text: texts.term(localize, key).replace("{server}", () => isolatedText(named ?? "")),
  };
}

function keyOfError(localize: Localize, error: CodedError): TextKey {
  const { code } = error;
  const isOwn = !(error instanceof MatrixError);
  if (isOwn && code !== "login_refused")
    return keyOfCode<TextKey>(localize, ERRORS, code, "errorUnexpected");
  const otherwise = isOwn ? "requestRefused" : textOfStatus(error);
  // A homeserver's code can be any word, even a code of this library. The library's codes are in
  // lower case.
  const errcode = errcodeIn(error) ?? "";
  return keyOfCode<TextKey>(localize, ERRORS, /[a-z]/.test(errcode) ? "" : errcode, otherwise);
}

/** The homeserver's code, even if the rejection is the cause of another error. */
function errcodeIn({ errcode, cause }: CodedError & { errcode?: unknown }): string | undefined {
  if (typeof errcode === "string") return errcode;
  return cause instanceof Error ? errcodeIn(cause as CodedError) : undefined;
}

/**
 * The text for a code in a table. If the table lacks the code, or the text isn't loaded, a default.
 */
function keyOfCode<Key extends keyof Texts>(
  localize: Localize,
  table: ErrorTexts<Key>,
  code: string,
  otherwise: Key,
): Key {
  // Use only own properties, so that a code such as "constructor" finds no text.
  const key = Object.hasOwn(table, code) ? table[code] : undefined;
  return key && loadedTexts.term(localize, key) ? key : otherwise;
}

/**
 * The text for a status. A response without an `errcode` is a proxy's page rather than a rejection.
 */
function textOfStatus({ httpStatus, code }: MatrixError): TextKey {
  const ofStatus = codeOfStatus(httpStatus);
  if (ofStatus !== "unexpected_status") return ERRORS[ofStatus];
  return code === "unexpected_status" ? "errorServer" : "requestRefused";
}

/** @param isOwnCode Whether the code is one of this library, and not the homeserver's. */
export function keyAtStage(
  localize: Localize,
  session: UiaSession,
  isOwnCode: boolean,
): keyof Texts {
  const otherwise = isOwnCode ? "errorServer" : keyOfRejection(session);
  const { errcode = "" } = session.status;
  return keyOfCode<keyof Texts>(localize, { ...ERRORS, ...STAGE_ERRORS }, errcode, otherwise);
}

/**
 * `M_UNKNOWN` is not in this list, because Synapse also sends it if it can't reach another server.
 */
const REFUSAL_ERRCODES: readonly string[] = ["M_FORBIDDEN", "M_UNAUTHORIZED", NOT_ACCEPTED];

function keyOfRejection({ stage, status, phone, changing }: UiaSession): keyof Texts {
  const asksNumber = stage === AuthType.Msisdn && (!phone || changing);
  if (asksNumber && status.errcode === "M_INVALID_PARAM") return "phoneInvalid";
  if (!REFUSAL_ERRCODES.includes(status.errcode ?? "")) return "requestRefused";
  if (stage === AuthType.Password) return "passwordWrong";
  if (stage === AuthType.Msisdn && !asksNumber) return "codeWrong";
  return isRegistrationToken(stage) ? "tokenWrong" : "requestRefused";
}
