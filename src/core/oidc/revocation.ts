import type { RequestOptions } from "../http/index.js";
import type { BearerTokenResponse } from "./bearer-token.js";
import { OidcError } from "./errors.js";
import { postToIssuer } from "./issuer-request.js";
import type { ValidatedAuthMetadata } from "./metadata.js";

/**
 * Gives tokens back, the refresh token first: this signs their device out. In Matrix it takes the place
 * of `/logout`.
 *
 * @throws {OidcFlowError} `RevokeTokenFailed` with the request's code or `token_request_refused`; a token
 *   that is invalid already is no failure.
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
  for (const token_type_hint of ["refresh_token", "access_token"] as const) {
    const token = tokens[token_type_hint];
    if (!token) continue;
    const form = { token, token_type_hint, client_id: clientId };
    await postToIssuer(metadata.revocation_endpoint, form, OidcError.RevokeTokenFailed, options);
  }
}
