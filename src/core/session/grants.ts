import type { RequestOptions } from "../http/index.js";
import { LegacyGrant } from "./legacy-grant.js";
import { OAuthGrant } from "./oauth-grant.js";
import type { SessionRecord } from "./session-record.js";
import type { TokenGrant } from "./token-grant.js";

/** The grant for sessions of a record's kind. */
export const grantOf = (record: SessionRecord, options: RequestOptions): TokenGrant =>
  record.kind === "legacy"
    ? new LegacyGrant(options)
    : new OAuthGrant(record.oidcClientSettings.issuer, options);

/** Gives up the tokens of a session that another has taken the place of. */
export function revokeReplaced(
  older: SessionRecord,
  newer: SessionRecord,
  options: RequestOptions,
): void {
  const isSameDevice = older.deviceId === newer.deviceId && older.userId === newer.userId;
  // The homeserver has replaced the tokens of a device that signs in again; `/logout` would delete it.
  if (older.kind === "legacy" && isSameDevice) return;
  grantOf(older, options)
    .revoke(older, options)
    .catch(() => undefined);
}
