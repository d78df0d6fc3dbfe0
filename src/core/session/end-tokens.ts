import {
  initOf,
  type JsonRequest,
  peekJson,
  type RequestOptions,
  withTimeout,
} from "../http/fetch.js";
import { joinUrl, parseTrustworthyUrl } from "../http/url.js";
import { LazyModule } from "./lazy-module.js";
import { remainingLifetimeMs, type SessionRecord } from "./record.js";

export const tokenRefresh = new LazyModule(() => import("./token-refresh.js"));

/**
 * Revokes a session's tokens, or signs out its device. The requests are sent in the caller's task,
 * without waiting for other code, and continue if the user leaves the page. If the server doesn't
 * confirm them, the grant is loaded, which handles each response.
 *
 * @param isReplaced Whether another sign-in has replaced the session. The session's tab may be
 *   refreshing the tokens now, so this call doesn't refresh them for a `/logout`.
 * @returns Whether the server has confirmed the end of the tokens.
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3logout
 */
export async function endTokens(
  record: SessionRecord,
  options: RequestOptions,
  isReplaced = false,
): Promise<boolean> {
  const { fetch = globalThis.fetch } = options;
  /** The responses, by the requests' tokens or `Authorization` headers. */
  const sent = new Map<string | null, Promise<Response>>();
  let confirmed = 0;
  try {
    for (const [secret, url, request] of requestsToEnd(record)) {
      const target = parseTrustworthyUrl(url);
      if (!target) continue;
      const init = initOf({ ...request, method: "POST", keepalive: true });
      const send = async (signal: AbortSignal): Promise<Response> => {
        const response = await fetch(url, { ...init, signal });
        const body = await peekJson(response, { signal });
        // For a provider's success, the status is enough. In place of the homeserver's JSON, some
        // proxies send a page with status 200.
        if (response.ok && (body || record.kind === "oauth")) confirmed += 1;
        return response;
      };
      sent.set(secret, withTimeout(send, target.origin, options));
    }
    await Promise.all(sent.values()).catch(() => undefined);
    if (confirmed && confirmed === sent.size) return true;
    if (isReplaced && record.kind === "legacy") return false;
    const { revokeOnce } = await tokenRefresh.load();
    await revokeOnce(record, options, sent);
    return true;
  } catch {
    return false;
  }
}

/** Returns an empty list if another request must come first. */
function requestsToEnd(
  record: SessionRecord,
): (readonly [secret: string, url: string, request: JsonRequest])[] {
  const { tokenResponse, homeserverUrl } = record;
  if (record.kind === "legacy") {
    // A page that is closing has no time to get new tokens, so the old token is used until it
    // expires.
    if (remainingLifetimeMs(tokenResponse) <= 0) return [];
    const Authorization = `Bearer ${tokenResponse.access_token}`;
    const url = joinUrl(homeserverUrl, "_matrix/client/v3/logout");
    return [[Authorization, url, { headers: { Authorization }, body: {} }]];
  }
  const { metadata, oidcClientSettings } = record;
  return (["refresh_token", "access_token"] as const).flatMap((hint) => {
    const token = tokenResponse[hint];
    if (!metadata || !token) return [];
    const form = { token, token_type_hint: hint, client_id: oidcClientSettings.clientId };
    return [[token, metadata.revocation_endpoint, { body: new URLSearchParams(form) }]];
  });
}
