import { bearer, joinUrl, requestJson, type RequestOptions } from "../http/index.js";
import { OAuthGrant } from "./oauth-grant.js";
import type { SessionRecord } from "./session-record.js";

/**
 * Gives up the tokens of a session that another has taken the place of; whether that succeeds or not. Not those of the
 * same device: the new tokens may be replacements already, and some servers remove a device with each of its tokens.
 */
export function revokeReplaced(
  older: SessionRecord,
  newer: SessionRecord,
  options: RequestOptions,
): void {
  const { deviceId, userId } = older;
  // After a login by OAuth 2.0 the user ID is not known yet.
  const mayBeSameUser = !userId || !newer.userId || userId === newer.userId;
  if (deviceId && deviceId === newer.deviceId && mayBeSameUser) return;
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
