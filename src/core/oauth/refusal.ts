import { isOAuthCode } from "../http/body-members.js";
import { isTransientStatus } from "../http/failures.js";
import { OidcFlowError } from "./flow-error.js";

/** The provider's error code, such as `invalid_grant`. */
export function refusalReason(error: unknown): unknown {
  const cause = error instanceof OidcFlowError ? error.cause : undefined;
  return cause instanceof Error ? (cause as { error?: unknown }).error : undefined;
}

/** The OAuth errors for a refresh token or a client that the provider will never accept again. */
const FINAL_REASON = /^(invalid_grant|invalid_client|unauthorized_client)$/;

/**
 * Whether a refresh failed for good: with a final OAuth error, or with tokens for another user or
 * device. After any other failure, such as a proxy's page, the old refresh token can be tried
 * again.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
 */
export const endsSession = (error: unknown): boolean =>
  error instanceof OidcFlowError &&
  (error.code === "scope_not_granted" ||
    error.code === "id_token_invalid" ||
    // With HTTP 500, `invalid_grant` may be a fault of the server: see `mayEndSession()`.
    (FINAL_REASON.test(String(refusalReason(error))) && !isTransientStatus(error.httpStatus ?? 0)));

/**
 * Whether a rejection might mean that the refresh token can no longer be used, although the
 * response doesn't follow RFC 6749. Some providers and homeservers send an OAuth error such as
 * `invalid_request`, `invalid_token` or `expired_token`, or none. A single rejection of this kind
 * proves nothing.
 *
 * @see https://github.com/matrix-org/matrix-spec-proposals/pull/4526
 */
export function mayEndSession(error: unknown): boolean {
  if (!(error instanceof OidcFlowError) || error.retryable) return false;
  const reason = refusalReason(error);
  if (!isOAuthCode(reason)) return error.httpStatus === 400 || error.httpStatus === 401;
  return error.code === "token_request_refused" && reason !== "slow_down";
}
