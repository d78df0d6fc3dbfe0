import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, parseJson } from "../http/json.js";
import { parseUrl } from "../http/url.js";
import { ssoRedirectUrl, type SsoRedirectOptions } from "../matrix/request.js";
import { secureRandomString } from "../shared/base64url.js";
import { parseResponseUrl, withoutParameters } from "../shared/response-url.js";
import { readRecords, type TabRecords, takeRecord, writeRecord } from "../shared/tab-records.js";
import { asLoginError, LoginError } from "./errors.js";
import { type LegacyLoginResult, type LegacyLoginSettings, logIn } from "./login.js";

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

export interface SsoLogin extends LegacyLoginSettings, SsoRedirectOptions {
  /** The page that completes the login. */
  readonly redirectUri: string;
  /** Kept with the login, and in its result. */
  readonly appState?: Readonly<Record<string, string>> | undefined;
}

/** A single sign-on between leaving for the homeserver and coming back. */
export interface PendingSso extends LegacyLoginSettings {
  readonly createdAt: number;
  readonly appState?: Readonly<Record<string, string>>;
}

const LOGINS: TabRecords = {
  ...SSO_LOGINS,
  error: (code, cause) =>
    new LoginError(code, "This tab has no storage, or no room in it", { cause }),
};

/** As for OAuth 2.0. */
const LIFETIME_MS = 60 * 60 * 1000;

/**
 * Begins a single sign-on: the page then goes to `url`. What completing it needs is kept in this tab's
 * `sessionStorage`; the homeserver only gets a `state`, as part of the redirect URI.
 *
 * @throws {LoginError} `settings_invalid`, `storage_unavailable`, `storage_full`
 * @experimental
 */
export function startSsoLogin({
  redirectUri,
  idpId,
  action,
  appState,
  homeserverUrl,
  identityServerUrl,
  deviceId,
  deviceName,
  expectedUserId,
}: SsoLogin): { readonly url: string; readonly state: string } {
  const target = parseUrl(redirectUri);
  if (!target) throw new LoginError("settings_invalid", "redirectUri is not a URL");
  const state = secureRandomString(22);
  target.searchParams.set("state", state);
  const url = redirectTo(homeserverUrl, target.href, { idpId, action });
  const settings = { homeserverUrl, identityServerUrl, deviceId, deviceName, expectedUserId };
  const record = JSON.stringify({ createdAt: Date.now(), ...settings, appState });
  for (const [old, each] of readRecords(LOGINS)) if (!parseRecord(each)) takeRecord(LOGINS, old);
  writeRecord(LOGINS, state, record);
  return { url, state };
}

/** @throws {LoginError} `settings_invalid` */
function redirectTo(...args: Parameters<typeof ssoRedirectUrl>): string {
  try {
    return ssoRedirectUrl(...args);
  } catch (error) {
    throw asLoginError(error);
  }
}

/**
 * Completes a single sign-on. A `loginToken` that this tab did not ask for is sent nowhere.
 *
 * @param url The page's URL, with the homeserver's response.
 * @throws {LoginError} `flow_unknown`, `flow_expired`, `login_token_refused`, `user_mismatch`, and what
 *   `loginWithPassword` throws.
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-based
 * @experimental
 */
export async function completeSsoLogin(
  url: string,
  options?: RequestOptions,
): Promise<LegacyLoginResult> {
  const response = readSsoResponse(url);
  const record = response ? takeRecord(LOGINS, response.state) : null;
  try {
    return await completePendingSso(response?.loginToken ?? "", ssoOfRecord(record), options);
  } catch (error) {
    // The token may not have been used: the same call can be made again.
    if (response && record !== null && mayStillSucceed(error)) {
      writeRecord(LOGINS, response.state, record);
    }
    throw error;
  }
}

const mayStillSucceed = (error: unknown): boolean =>
  error instanceof LoginError && error.retryable && error.code !== "aborted";

/**
 * The single sign-on that a record is of.
 *
 * @param record As {@link startSsoLogin} has stored it; null if there was none.
 * @throws {LoginError} `flow_unknown`, `flow_expired`
 */
export function ssoOfRecord(record: string | null): PendingSso {
  if (record === null) throw new LoginError("flow_unknown", "This tab has not begun this login");
  const pending = parseRecord(record);
  if (!pending) throw new LoginError("flow_expired", "The login has taken too long");
  return pending;
}

/**
 * Completes a single sign-on whose response and record were taken before.
 *
 * @throws {LoginError} `login_token_refused`, `user_mismatch`, and what `loginWithPassword` throws.
 */
export async function completePendingSso(
  loginToken: string,
  { appState, ...settings }: PendingSso,
  options?: RequestOptions,
): Promise<LegacyLoginResult> {
  const credentials = { type: "m.login.token", token: loginToken };
  const result = await logIn(credentials, "login_token_refused", settings, options);
  return { ...result, ...(appState && { appState }) };
}

/** Undefined if it has expired. Other code on the page can write to the storage too. */
function parseRecord(record: string): PendingSso | undefined {
  const pending = parseJson(record);
  if (!isJsonObject(pending) || typeof pending["homeserverUrl"] !== "string") return undefined;
  // A clock that was set back must not keep it forever.
  const isFresh = Math.abs(Date.now() - Number(pending["createdAt"])) <= LIFETIME_MS;
  return isFresh ? (pending as unknown as PendingSso) : undefined;
}
