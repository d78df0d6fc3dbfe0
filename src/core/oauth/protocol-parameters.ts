/**
 * The registered parameters of requests to authorization, token, and other endpoints. An endpoint's
 * own query can have any other parameter (RFC 6749, section 3.1).
 *
 * @see https://www.iana.org/assignments/oauth-parameters
 */
const PROTOCOL_PARAMETERS = new Set([
  ...["response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "display", "prompt", "max_age", "ui_locales"],
  ...["claims_locales", "id_token_hint", "login_hint", "acr_values", "claims", "registration"],
  ...["request", "request_uri", "resource", "authorization_details", "dpop_jkt", "vtr"],
  ...["client_metadata", "client_metadata_uri", "presentation_definition", "dcql_query"],
  ...["grant_type", "code", "code_verifier", "refresh_token", "device_code", "user_code"],
  ...["client_secret", "client_assertion", "client_assertion_type", "assertion", "audience"],
  ...["username", "password", "token", "token_type_hint", "requested_token_type"],
  ...["subject_token", "subject_token_type", "actor_token", "actor_token_type", "iss", "error"],
  ...["sub", "issuer_state", "presentation_definition_uri", "trust_chain", "ticket"],
]);

/**
 * Some servers ignore case and everything after a NUL, read `prompt[]` as a list, and read dots,
 * spaces, or a bracket that isn't closed as underscores.
 */
function namesIn(pair: string): readonly string[] {
  const [key = ""] = new URLSearchParams(pair).keys();
  const name = key
    .trim()
    .toLowerCase()
    .replace(/\p{Cc}[^]*/u, "")
    .replace(/[\s.-]/g, "_");
  return [name.replace(/\[[^]*/, ""), name.replace("[", "_")];
}

/** Some servers also split at semicolons. */
const isProtocolPair = (pair: string): boolean =>
  pair.split(";").some((part) => namesIn(part).some((name) => PROTOCOL_PARAMETERS.has(name)));

const pairsIn = ({ search }: URL): readonly string[] => search.slice(1).split("&");

/** Whether an endpoint's own query contains a parameter of OAuth 2.0 or OpenID Connect. */
export const hasProtocolParameter = (url: URL): boolean => pairsIn(url).some(isProtocolPair);

/** The endpoint's other parameters stay unchanged. */
export function removeProtocolParameters(url: URL): void {
  if (!hasProtocolParameter(url)) return;
  url.search = pairsIn(url)
    .filter((pair) => !isProtocolPair(pair))
    .join("&");
}
