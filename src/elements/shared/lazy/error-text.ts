import type { OidcErrorCode } from "../../../core/index.js";
import type { LocalizeController } from "../localize.js";
import type { Texts } from "../../../locales/translation.js";

type ErrorText = Extract<keyof Texts, `error${string}`>;

/** Several codes share a text: they are for the page's author; a user needs to know what to do. */
const TEXTS: Record<OidcErrorCode, ErrorText> = {
  network_error: "errorNetwork",
  timeout: "errorTimeout",
  aborted: "errorNetwork",
  rate_limited: "errorRateLimited",
  server_error: "errorServer",
  unexpected_status: "errorServer",
  unexpected_redirect: "errorServer",
  response_too_large: "errorServer",
  response_not_json: "errorServer",
  homeserver_missing: "errorHomeserverMissing",
  homeserver_invalid: "errorHomeserverInvalid",
  well_known_invalid: "errorHomeserverSettings",
  oidc_not_supported: "errorNotSupported",
  metadata_invalid: "errorProviderSettings",
  issuer_invalid: "errorProviderSettings",
  issuer_mismatch: "errorUntrustworthy",
  issuer_unconfirmed: "errorProviderSettings",
  keys_unavailable: "errorNetwork",
  settings_invalid: "errorPageSettings",
  prompt_not_supported: "errorNoNewAccounts",
  insecure_context: "errorInsecure",
  storage_unavailable: "errorStorageBlocked",
  storage_full: "errorStorageFull",
  store_not_synchronous: "errorUnexpected",
  store_not_listable: "errorUnexpected",
  registration_not_supported: "errorApplicationRefused",
  registration_refused: "errorApplicationRefused",
  registration_invalid: "errorProviderSettings",
  flow_unknown: "errorFlowUnknown",
  flow_expired: "errorFlowExpired",
  flow_invalid: "errorFlowExpired",
  response_malformed: "errorUntrustworthy",
  access_denied: "errorDenied",
  authorization_failed: "errorProviderRefused",
  port_unavailable: "errorUnexpected",
  browser_unavailable: "errorUnexpected",
  code_rejected: "errorFlowExpired",
  token_request_refused: "errorProviderRefused",
  token_response_invalid: "errorUntrustworthy",
  scope_not_granted: "errorProviderRefused",
  id_token_missing: "errorUntrustworthy",
  id_token_invalid: "errorUntrustworthy",
  id_token_time: "errorClock",
  id_token_signature: "errorUntrustworthy",
  session_ended: "errorFlowExpired",
  refresh_not_possible: "errorFlowExpired",
  token_refused: "errorProviderRefused",
  load_failed: "errorLoadFailed",
  unexpected: "errorUnexpected",
};

/** While a homeserver is looked up, a typing mistake is the likeliest cause. */
const LOOK_UP_TEXTS: Partial<Record<OidcErrorCode, ErrorText>> = {
  network_error: "errorUnreachable",
  homeserver_invalid: "errorNotAServer",
};

/** The key of the text that users see for an error's code. */
const errorKey = (code: OidcErrorCode): ErrorText =>
  (TEXTS as Partial<typeof TEXTS>)[code] ?? "errorUnexpected";

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
  if (!key || soughtServer === undefined) return localize.term(errorKey(code));
  // Isolated, because its direction may differ from the text's.
  return localize.term(key).replace("{server}", () => `\u2068${soughtServer.trim()}\u2069`);
}
