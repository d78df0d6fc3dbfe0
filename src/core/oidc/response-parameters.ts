/**
 * Every parameter that a provider may add to a redirect URI, those of flows that are not requested here included.
 *
 * @see https://www.iana.org/assignments/oauth-parameters
 */
export const RESPONSE_PARAMETERS: readonly string[] = [
  "code",
  "state",
  "iss",
  "error",
  "error_description",
  "error_uri",
  "session_state",
  "id_token",
  "access_token",
  "token_type",
  "expires_in",
  "scope",
  "response",
];
