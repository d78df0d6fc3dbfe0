// @ts-check

import { randomUUID } from "node:crypto";

// The differences between the responses of Matrix Authentication Service (1.22) and oidc-provider.

/**
 * The status of each error at the token endpoint; others have 400. So clients must read the body.
 *
 * @type {Readonly<Record<string, number>>}
 */
const STATUS = Object.freeze({
  authorization_pending: 403,
  access_denied: 403,
  expired_token: 403,
  invalid_scope: 403,
  invalid_client: 401,
  unauthorized_client: 401,
  server_error: 500,
});

const ISS_SUPPORT = "authorization_response_iss_parameter_supported";

/**
 * Responds like Matrix Authentication Service: with its statuses at the token endpoint, and without `iss`
 * (RFC 9207) in authorization responses, both successes and rejections.
 *
 * @param {string} tokenPath the token endpoint's
 * @returns {import("koa").Middleware}
 */
export function respondLikeMas(tokenPath) {
  return async (ctx, next) => {
    await next();
    const body = /** @type {Record<string, unknown> | undefined} */ (ctx.body);
    if (ctx.path === tokenPath && typeof body?.["error"] === "string") {
      ctx.status = STATUS[body["error"]] ?? 400;
    }
    if (body && Object.hasOwn(body, ISS_SUPPORT)) {
      ctx.body = Object.fromEntries(Object.entries(body).filter(([name]) => name !== ISS_SUPPORT));
    }
    const location = ctx.response.get("Location");
    if (location && /[?&#]iss=/.test(location)) ctx.set("Location", withoutIss(location));
  };
}

/** @param {string} location the app's redirect URI, with the response in the query or the fragment */
function withoutIss(location) {
  const url = new URL(location);
  const fragment = new URLSearchParams(url.hash.slice(1));
  fragment.delete("iss");
  url.searchParams.delete("iss");
  url.hash = fragment.toString();
  return url.href;
}

/** Returns the same client ID for the same metadata, from any client. */
export function createClientIds() {
  /** @type {Map<string, string>} */
  const byMetadata = new Map();
  /** @param {{ oidc: { body: Record<string, unknown> } }} ctx */
  return ({ oidc }) => {
    const metadata = JSON.stringify(Object.entries(oidc.body).sort());
    const clientId = byMetadata.get(metadata) ?? randomUUID();
    byMetadata.set(metadata, clientId);
    return clientId;
  };
}
