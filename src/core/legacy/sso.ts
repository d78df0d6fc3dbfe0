import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, parseJson, toJson } from "../http/json.js";
import { parseUrl } from "../http/url.js";
import { type SsoRedirectOptions, ssoRedirectUrl } from "../matrix/request.js";
import { secureRandomString } from "../shared/base64url.js";
import { isExpired, type TabRecords, takeRecord, writeRecord } from "../shared/tab-records.js";
import { asLoginError } from "./as-login-error.js";
import { LoginError } from "./errors.js";
import { readSsoResponse, SSO_RECORDS } from "./sso-response.js";
import { type LegacyLoginResult, type LegacyLoginSettings, logIn } from "./login.js";

export interface SsoLogin extends LegacyLoginSettings, SsoRedirectOptions {
  /** The page that completes the sign-in. */
  readonly redirectUri: string;
  /** Kept in this tab and returned with the result. */
  readonly appState?: Readonly<Record<string, string>> | undefined;
}

export interface PendingSso extends LegacyLoginSettings {
  readonly createdAt: number;
  /** Whether the page named the device. It may then have another session. */
  readonly isDeviceNamed?: boolean;
  readonly appState?: Readonly<Record<string, string>>;
}

const LOGINS: TabRecords = {
  ...SSO_RECORDS,
  error: (code, cause) =>
    new LoginError(code, "The storage of this tab is blocked or full", { cause }),
};

/**
 * Starts a single sign-on. Navigate the browser to `url`. The settings are kept in this tab's
 * `sessionStorage`, and the homeserver gets only a `state`, as part of the redirect URI.
 *
 * @throws {LoginError} `settings_invalid`, `storage_unavailable`, `storage_full`
 * @experimental
 */
export function startSsoLogin(login: SsoLogin): { readonly url: string; readonly state: string } {
  const { redirectUri, idpId, action, appState, homeserverUrl } = login;
  const { identityServerUrl, deviceId, deviceName, expectedUserId } = login;
  const target = parseUrl(redirectUri);
  if (!target) throw new LoginError("settings_invalid", "redirectUri is not a URL");
  const state = secureRandomString(22);
  // The homeserver adds another one, and the first one would be read.
  target.searchParams.delete("loginToken");
  target.searchParams.set("state", state);
  let url: string;
  try {
    url = ssoRedirectUrl(homeserverUrl, target.href, { idpId, action });
  } catch (error) {
    throw asLoginError(error);
  }
  // Copy the members by name, because a caller's object might also contain secrets.
  const settings = { homeserverUrl, identityServerUrl, deviceId, deviceName, expectedUserId };
  const pending = { ...settings, isDeviceNamed: !!deviceId, appState };
  writeRecord(LOGINS, state, toJson({ createdAt: Date.now(), ...pending }));
  return { url, state };
}

/**
 * Completes a single sign-on. A `loginToken` that this tab did not request is never sent.
 *
 * @param url The page's URL, with the homeserver's response.
 * @throws {LoginError} `flow_unknown`, `flow_expired`, `login_token_refused`, `user_mismatch`, and
 *   the errors of `loginWithPassword`.
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
    const mayStillSucceed =
      error instanceof LoginError && error.retryable && error.code !== "aborted";
    // The token may still be unused, so the call can be repeated.
    if (response && record !== null && mayStillSucceed) {
      writeRecord(LOGINS, response.state, record);
    }
    throw error;
  }
}

/** @throws {LoginError} `flow_unknown`, `flow_expired` */
export function ssoOfRecord(record: string | null): PendingSso {
  if (record === null) throw new LoginError("flow_unknown", "This tab did not start this sign-in");
  const pending = parseJson(record);
  // Other code on the page can write to the storage, too.
  const isSound = isJsonObject(pending) && typeof pending["homeserverUrl"] === "string";
  if (!isSound || isExpired(pending["createdAt"])) {
    throw new LoginError("flow_expired", "The sign-in took too long");
  }
  return pending as unknown as PendingSso;
}

/**
 * @throws {LoginError} `login_token_refused`, `user_mismatch`, and as `loginWithPassword` does.
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
