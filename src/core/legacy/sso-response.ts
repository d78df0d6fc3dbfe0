import { parseResponseUrl, withoutParameters } from "../response-url.js";

/** Where this tab's storage keeps what completing a single sign-on needs, each under its `state`. */
export const SSO_LOGINS = { prefix: "matrix-auth-elements:sso:" } as const;

/** A homeserver's response to a single sign-on. */
export interface SsoResponse {
  readonly state: string;
  readonly loginToken: string;
}

/** Finds a homeserver's response in the query of a URL; undefined if there is none. */
export function readSsoResponse(url: string): SsoResponse | undefined {
  const parameters = parseResponseUrl(url)?.searchParams;
  const loginToken = parameters?.get("loginToken");
  const state = parameters?.get("state");
  return loginToken && state ? { state, loginToken } : undefined;
}

/** The URL without a homeserver's response; everything else in it stays unchanged. */
export const withoutSsoResponse = (url: string): string =>
  withoutParameters(url, "search", ["loginToken", "state"]);
