import type { RequestOptions } from "../http/index.js";
import type { BearerTokenResponse } from "./bearer-token.js";
import { OidcError, OidcFlowError } from "./errors.js";
import { postToIssuer, refusalReason } from "./issuer-request.js";
import type { ValidatedAuthMetadata } from "./metadata.js";

/**
 * Revokes tokens, the refresh token first, which signs out their device: in Matrix this replaces `/logout`.
 * If the issuer refuses one token, the other is still revoked; after a retryable failure no second request
 * is made.
 *
 * @throws {OidcFlowError} `RevokeTokenFailed` with the request's code or `token_request_refused`. A token
 *   that is already invalid does not count as a failure, nor does an issuer that revokes access tokens only
 *   together with their refresh token.
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 * @see https://spec.matrix.org/v1.16/client-server-api/#token-revocation
 * @experimental
 */
export async function revokeTokens(
  metadata: Pick<ValidatedAuthMetadata, "revocation_endpoint">,
  clientId: string,
  tokens: Partial<Pick<BearerTokenResponse, "refresh_token" | "access_token">>,
  options?: RequestOptions,
): Promise<void> {
  let isTaken = false;
  let refused: OidcFlowError | undefined;
  for (const token_type_hint of ["refresh_token", "access_token"] as const) {
    const token = tokens[token_type_hint];
    if (!token) continue;
    const form = { token, token_type_hint, client_id: clientId };
    try {
      await postToIssuer(metadata.revocation_endpoint, form, OidcError.RevokeTokenFailed, options);
      isTaken = true;
    } catch (error) {
      if (!(error instanceof OidcFlowError) || error.retryable) throw error;
      // RFC 7009, section 2.2.1.
      if (!isTaken || refusalReason(error) !== "unsupported_token_type") refused ??= error;
    }
  }
  if (refused) throw refused;
}
