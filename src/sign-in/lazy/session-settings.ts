import type { SessionOptions, SessionStoreName } from "../../core/index.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import type { SessionAttributes } from "../session-attributes.js";

const STORES: ReadonlyMap<string, SessionStoreName | undefined> = new Map([
  ["none", undefined],
  ["session", "sessionStorage"],
  ["local", "localStorage"],
  ["indexeddb", "indexedDB"],
]);

/**
 * The options of the session that a page wants, for an account once it is known; undefined if it
 * wants none.
 */
export type ChooseSession = (account?: Account) => SessionOptions | undefined;

export interface Account {
  readonly homeserverUrl: string;
  readonly deviceId: string;
}

export const accountKey = ({ homeserverUrl, deviceId }: Account): string =>
  `matrix-auth-elements:session:${new URL(homeserverUrl).host}:${deviceId}`;

/** @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
export function readSessionOptions(
  attributes: Partial<SessionAttributes>,
): SessionOptions | undefined {
  const { persist, store, sessionKey } = attributes;
  const name = persist || "none";
  if (!STORES.has(name)) {
    throw settingsInvalid(`persist is neither ${[...STORES.keys()].join(" nor ")}`);
  }
  const place = store ?? STORES.get(name);
  return place && { store: place, ...(sessionKey && { key: sessionKey }) };
}
