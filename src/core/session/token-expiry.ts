import type { BearerTokenResponse } from "../oidc/index.js";

/** How long before it expires a token is replaced, in milliseconds: a request with it takes time. */
const MARGIN_MS = 30_000;

/**
 * How long an access token is still valid, in milliseconds; Infinity if the issuer does not say. If more
 * is left than its whole lifetime, the clock was set back by an unknown time: the result is then 0.
 */
export function remainingLifetimeMs({ expires_in, expires_at }: BearerTokenResponse): number {
  if (expires_at === undefined) return Infinity;
  const left = expires_at * 1000 - Date.now();
  return expires_in !== undefined && left > expires_in * 1000 ? 0 : left;
}

/** Whether an access token is valid for long enough to be used. */
export const isFresh = (tokens: BearerTokenResponse): boolean =>
  remainingLifetimeMs(tokens) > Math.min(MARGIN_MS, (tokens.expires_in ?? Infinity) * 500);
