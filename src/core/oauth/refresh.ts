import type { RequestOptions } from "../http/fetch.js";
import { refreshTokenGrantRequest } from "./certified.js";
import { OidcFlowError } from "./flow-error.js";
import { decodeJwt, type IdTokenClaims } from "./id-token.js";
import { postToIssuer } from "./issuer-request.js";
import type { AuthMetadata } from "./metadata.js";
import { revokeUnused } from "./revocation.js";
import { isForDevice, NO_API, OTHER_DEVICE, readScope, scopeNotGranted } from "./scope.js";
import { type BearerTokenResponse, validateBearerTokenResponse } from "./token-response.js";

/** A refresh token, and the user and device that new tokens must match. */
export interface RefreshGrant {
  readonly metadata: Pick<AuthMetadata, "token_endpoint" | "revocation_endpoint">;
  readonly clientId: string;
  readonly refreshToken: string | undefined;
  /** The device that the tokens are for; undefined if none was granted. */
  readonly deviceId: string | undefined;
  /** Whether the scope must name the device, because it did at sign-in. */
  readonly requireDeviceScope: boolean;
  readonly idTokenClaims: IdTokenClaims | undefined;
}

/**
 * Exchanges a refresh token for new tokens, once.
 *
 * @returns The tokens, with the old refresh token if the provider sends no new one. `expires_at` is
 *   counted from the start of the request.
 * @throws {OidcFlowError} `RefreshTokenFailed`, `InvalidBearerTokenResponse`, `InvalidIdToken`:
 *   `endsSession()` returns whether the refresh token can no longer be used. Tokens for another
 *   user or device are revoked.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-6
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
 */
export async function requestRefresh(
  grant: RefreshGrant,
  options?: RequestOptions,
): Promise<BearerTokenResponse> {
  const { refreshToken } = grant;
  if (!refreshToken) throw new OidcFlowError("Failed to refresh token", "refresh_not_possible");
  const response = await postToIssuer(
    "Failed to refresh token",
    grant,
    (issuer, sending) => refreshTokenGrantRequest(...issuer, refreshToken, sending),
    options,
  );
  // Do not use processRefreshTokenResponse(), which compares the times of an ID token with this
  // device's clock. The old refresh token is used up, so a wrong clock must not reject the new one.
  const { id_token, ...tokens } = await validateBearerTokenResponse(response);
  try {
    assertSameDevice(tokens, grant);
    assertSameSubject(id_token, grant);
  } catch (error) {
    revokeUnused(grant, tokens, options);
    throw error;
  }
  return { refresh_token: refreshToken, ...tokens };
}

function assertSameDevice(
  { scope }: BearerTokenResponse,
  { deviceId, requireDeviceScope }: RefreshGrant,
): void {
  if (scope === undefined) return;
  const { api, devices } = readScope(scope);
  if (!api) throw scopeNotGranted(NO_API);
  const isMissing = deviceId && requireDeviceScope && devices.length === 0;
  if (isMissing || !isForDevice(scope, deviceId)) throw scopeNotGranted(OTHER_DEVICE);
}

/**
 * The signature is not verified, because the ID token comes directly from the token endpoint. Only
 * its identity claims are compared.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse
 */
function assertSameSubject(
  idToken: string | undefined,
  { clientId, idTokenClaims: expected }: RefreshGrant,
): void {
  if (idToken === undefined || !expected) return;
  const { iss, sub, nonce, azp, aud } = decodeJwt(idToken).claims;
  const same =
    iss === expected.iss &&
    sub === expected.sub &&
    (nonce ?? expected.nonce) === (expected.nonce ?? nonce) &&
    (azp ?? clientId) === clientId &&
    [aud].flat().includes(clientId);
  if (!same) throw new OidcFlowError("Invalid ID token", "id_token_invalid");
}
