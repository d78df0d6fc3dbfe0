// Where a session is kept, and its key. The first screen of `<matrix-login>` loads this file, so it imports no requests.
import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  SessionOptions,
  SessionStoreName,
} from "../core/index.js";
import { settingsInvalid } from "../core/oauth/errors.js";
import { secureRandomString } from "../core/shared/base64url.js";
import type { SessionAttributes } from "./session-attributes.js";

const STORES: ReadonlyMap<string, SessionStoreName | undefined> = new Map([
  ["none", undefined],
  ["session", "sessionStorage"],
  ["local", "localStorage"],
  ["indexeddb", "indexedDB"],
]);

export const DEFAULT_KEY = "matrix-auth-elements:session";

/** The page's options for the session of an account; undefined if the page keeps no session. */
export type ChooseSession = (account?: Account) => SessionOptions | undefined;

export type Account = Pick<LegacyLoginResult, "homeserverUrl" | "deviceId"> &
  Partial<Pick<LegacyLoginResult, "userId">> &
  Partial<Pick<AuthorizationCodeGrantResult, "idTokenClaims">>;

/** @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
export function readSessionOptions(
  attributes: Partial<SessionAttributes>,
): SessionOptions | undefined {
  const { persist, store, sessionKey } = attributes;
  const name = persist || "none";
  if (!STORES.has(name)) {
    throw settingsInvalid(`persist is neither ${[...STORES.keys()].join(" nor ")}`);
  }
  const place = store || STORES.get(name);
  return place && { store: place, ...(sessionKey && { key: sessionKey }) };
}

/** The options of an account's session, for one account or `many`. */
export const ofAccount = (
  options: SessionOptions,
  accounts: string | undefined,
  account: Account | undefined,
): SessionOptions =>
  accounts === "many" && account
    ? { ...options, key: keyOf(account, options.key ?? DEFAULT_KEY) }
    : options;

/**
 * The key of an account: it consists of the homeserver, the user, and the device. The device alone
 * is not enough, because a page can set the same device ID for all users. After a sign-in with
 * OAuth 2.0, the user may be missing, or only be confirmed by the provider.
 */
function keyOf(account: Account, prefix: string): string {
  const { host, pathname } = new URL(account.homeserverUrl);
  const { userId, idTokenClaims, deviceId } = account;
  const user = userId ?? idTokenClaims?.sub ?? secureRandomString(16);
  const parts = [host + pathname.replace(/\/$/, ""), user, deviceId];
  return [prefix, ...parts.map(encodeURIComponent)].join(":");
}

/**
 * Whether a key belongs to an account with this prefix, or is the prefix itself. Other keys belong
 * to other apps.
 */
export const isOwnKey = (key: string, prefix: string): boolean =>
  key === prefix ||
  (key.startsWith(`${prefix}:`) && key.slice(prefix.length + 1).split(":").length === 3);
