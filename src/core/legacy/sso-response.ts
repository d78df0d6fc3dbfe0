import { parseUrl } from "../http/index.js";

/** What a homeserver adds to the redirect URI, and what we put there. */
const PARAMETERS: readonly string[] = ["loginToken", "state"];

/** A homeserver's response to a single sign-on. */
export interface SsoResponse {
  readonly state: string;
  readonly loginToken: string;
  /** The URL without the response; everything else in it stays unchanged. */
  readonly rest: string;
}

/** Finds a homeserver's response in the query of a URL; undefined if there is none. */
export function readSsoResponse(address: string): SsoResponse | undefined {
  const url = parseUrl(address);
  const loginToken = url?.searchParams.get("loginToken");
  const state = url?.searchParams.get("state");
  if (!url || !loginToken || !state) return undefined;
  const isOther = (pair: string): boolean => {
    const [name = ""] = new URLSearchParams(pair).keys();
    return !PARAMETERS.includes(name);
  };
  url.search = url.search.slice(1).split("&").filter(isOther).join("&");
  return { state, loginToken, rest: url.href };
}
