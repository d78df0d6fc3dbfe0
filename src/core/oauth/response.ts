import { parametersIn, parseResponseUrl, withoutParameters } from "../shared/response-url.js";
import { peekRecord } from "../shared/tab-records.js";

/** Whether the response is in the query or in the fragment of the redirect URI. */
export type ResponseMode = "query" | "fragment";

/** Distinguishes this library's `state` values from those of other code on the page. */
export const STATE_PREFIX = "mae-";

export const FLOW_RECORDS = { prefix: "matrix-auth-elements:flow:" } as const;

export interface AuthorizationResponse {
  readonly state: string;
  readonly parameters: URLSearchParams;
  readonly mode: ResponseMode;
}

const URL_PART = { query: "search", fragment: "hash" } as const;

/**
 * Finds a provider's response in the query or fragment of a URL. A response to a flow of this tab
 * is preferred. Undefined if the URL has no response, or is longer than any response can be.
 */
export function readAuthorizationResponse(url: string): AuthorizationResponse | undefined {
  const parsed = parseResponseUrl(url);
  if (!parsed) return undefined;
  const found = (["query", "fragment"] as const).flatMap((mode) => {
    const parameters = parametersIn(parsed[URL_PART[mode]]);
    const state = parameters.get("state");
    const isResponse = state && (parameters.has("code") || parameters.has("error"));
    return isResponse ? { state, parameters, mode } : [];
  });
  return found.find(({ state }) => peekRecord(FLOW_RECORDS.prefix + state) !== null) ?? found[0];
}

/** The URL without the provider's response; everything else in it stays unchanged. */
export function withoutAuthorizationResponse(
  url: string,
  { mode }: Pick<AuthorizationResponse, "mode">,
): string {
  return withoutParameters(url, URL_PART[mode], RESPONSE_PARAMETERS);
}

/**
 * All parameters that a provider can add to a redirect URI, including those of other flows.
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
