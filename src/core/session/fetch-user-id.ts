import {
  bearer,
  isJsonObject,
  isText,
  joinUrl,
  requestJson,
  type RequestOptions,
} from "../http/index.js";
import type { SessionRecord } from "./session-record.js";

/**
 * Asks the homeserver whose tokens they are. A token that it refuses stays as it is: whatever else needs one finds out.
 *
 * @returns The user ID; undefined where the homeserver does not tell it.
 * @throws {RequestError}
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
 */
export async function fetchUserId(
  { homeserverUrl, tokenResponse }: SessionRecord,
  options: RequestOptions,
): Promise<string | undefined> {
  const url = joinUrl(homeserverUrl, "_matrix/client/v3/account/whoami");
  const headers = { Authorization: bearer(tokenResponse.access_token) };
  const { ok, body } = await requestJson(url, { headers, redirect: "manual" }, options);
  const userId = ok && isJsonObject(body) && body["user_id"];
  return isText(userId) ? userId : undefined;
}
