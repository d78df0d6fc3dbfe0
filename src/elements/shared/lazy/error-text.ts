import type { OidcErrorCode } from "../../../core/index.js";
import type { LocalizeController } from "../localize.js";
import type { Texts } from "../../../locales/translation.js";

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
