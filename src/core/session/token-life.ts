import type { BearerTokenResponse } from "../oidc/index.js";

/** How long before its end a token is replaced, in milliseconds: what is sent with it takes time. */
const MARGIN_MS = 30_000;

/**
 * How long an access token is still good, in milliseconds; for ever where the issuer does not say. More
 * than its whole life means that the clock was set back, and nobody knows how long.
 */
export function lifeLeft({ expires_in, expires_at }: BearerTokenResponse): number {
  if (expires_at === undefined) return Infinity;
  const left = expires_at * 1000 - Date.now();
  return expires_in !== undefined && left > expires_in * 1000 ? 0 : left;
}

/** Whether an access token is good for long enough to be used. */
export const isFresh = (tokens: BearerTokenResponse): boolean =>
  lifeLeft(tokens) > Math.min(MARGIN_MS, (tokens.expires_in ?? Infinity) * 500);
