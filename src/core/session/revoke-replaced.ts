import { bearer, joinUrl, requestJson, type RequestOptions } from "../http/index.js";
import { OAuthGrant } from "./oauth-grant.js";
import type { SessionRecord } from "./session-record.js";

/** Gives up the tokens of a session that another has taken the place of; whether that succeeds or not. */
export function revokeReplaced(
  older: SessionRecord,
  newer: SessionRecord,
  options: RequestOptions,
): void {
  const isSameDevice = older.deviceId === newer.deviceId && older.userId === newer.userId;
  // The homeserver has replaced the tokens of a device that signs in again; `/logout` would delete it.
  if (older.kind === "legacy" && isSameDevice) return;
  revoke(older, options).catch(() => undefined);
}

async function revoke(record: SessionRecord, options: RequestOptions): Promise<void> {
  if (record.kind === "oauth") {
    await new OAuthGrant(record.oidcClientSettings.issuer, options).revoke(record, options);
    return;
  }
  // Not by a `LegacyGrant`, which pages that know only OAuth 2.0 need not load.
  const headers = { Authorization: bearer(record.tokenResponse.access_token) };
  const url = joinUrl(record.homeserverUrl, "_matrix/client/v3/logout");
  await requestJson(url, { method: "POST", body: {}, headers, redirect: "manual" }, options);
}
