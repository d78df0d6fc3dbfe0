import type { OidcErrorCode } from "../../../core/index.js";
import type { LocalizeController } from "../localize.js";
import type { Texts } from "../../../locales/translation.js";

type ErrorText = Extract<keyof Texts, `error${string}`>;

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
  errorHomeserverMissing: ["homeserver_missing"],
  errorHomeserverInvalid: ["homeserver_invalid"],
  errorHomeserverSettings: ["well_known_invalid"],
  errorNotSupported: ["oidc_not_supported"],
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
  errorNoNewAccounts: ["prompt_not_supported"],
  errorInsecure: ["insecure_context"],
  errorStorageBlocked: ["storage_unavailable"],
  errorStorageFull: ["storage_full"],
  errorApplicationRefused: ["registration_not_supported", "registration_refused"],
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

/** The rest: users see what they see for a code that this version does not know. */
type OtherCode =
  | "store_not_synchronous"
  | "store_not_listable"
  | "port_unavailable"
  | "browser_unavailable"
  | "unexpected";

/** While a homeserver is looked up, a typing mistake is the likeliest cause. */
const LOOK_UP_TEXTS: Partial<Record<OidcErrorCode, ErrorText>> = {
  network_error: "errorUnreachable",
  homeserver_invalid: "errorNotAServer",
};

/** The key of the text that users see for an error's code. */
function errorKey(code: (typeof CODES)[keyof typeof CODES][number] | OtherCode): ErrorText {
  const texts = Object.entries(CODES) as [ErrorText, readonly OidcErrorCode[]][];
  return texts.find(([, codes]) => codes.includes(code))?.[0] ?? "errorUnexpected";
}

/**
 * What users see for an error's code.
 *
 * @param soughtServer The homeserver that could not be found, as it was typed.
 */
export function errorSentence(
  localize: Pick<LocalizeController, "term">,
  code: OidcErrorCode,
  soughtServer?: string,
): string {
  const key = soughtServer && navigator.onLine ? LOOK_UP_TEXTS[code] : undefined;
  if (!key || soughtServer === undefined) {
    // A page has no text for a code that does not occur on it.
    return localize.term(errorKey(code)) || localize.term("errorUnexpected");
  }
  // Isolated, because its direction may differ from the text's.
  return localize.term(key).replace("{server}", () => `\u2068${soughtServer.trim()}\u2069`);
}
