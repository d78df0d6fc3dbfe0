import { parseResponseUrl, withoutParameters } from "../shared/response-url.js";

export const SSO_RECORDS = { prefix: "matrix-auth-elements:sso:" } as const;

export interface SsoResponse {
  readonly state: string;
  readonly loginToken: string;
}

/** The homeserver's response in the query of a URL. */
export function readSsoResponse(url: string): SsoResponse | undefined {
  const parameters = parseResponseUrl(url)?.searchParams;
  const loginToken = parameters?.get("loginToken");
  const state = parameters?.get("state");
  return loginToken && state ? { state, loginToken } : undefined;
}

export const withoutSsoResponse = (url: string): string =>
  withoutParameters(url, "search", ["loginToken", "state"]);
