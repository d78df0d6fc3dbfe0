import type { RequestOptions } from "../http/fetch.js";
import { None, revocationRequest } from "./certified.js";
import { OidcError } from "./errors.js";
import { postToIssuer, refusalReason, serverOf } from "./issuer-request.js";
import type { AuthMetadata } from "./metadata.js";
import type { BearerTokenResponse } from "./token-response.js";

const HINTS = ["refresh_token", "access_token"] as const;

/**
 * Revokes tokens, which signs out their device: in Matrix this replaces `/logout`. Both requests leave
 * together and outlive the page.
 *
 * @throws {OidcFlowError} `RevokeTokenFailed` with the request's code or `token_request_refused`. A token
 *   that is already invalid does not count as a failure, nor does an issuer that revokes access tokens only
 *   together with their refresh token.
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
 * @experimental
 */
export async function revokeTokens(
  metadata: Pick<AuthMetadata, "revocation_endpoint">,
  clientId: string,
  tokens: Partial<Pick<BearerTokenResponse, "refresh_token" | "access_token">>,
  options?: RequestOptions,
): Promise<void> {
  const revoke = async (token_type_hint: (typeof HINTS)[number]): Promise<void> => {
    const token = tokens[token_type_hint];
    if (!token) return;
    await postToIssuer(
      OidcError.RevokeTokenFailed,
      (sending) =>
        revocationRequest(serverOf(metadata), { client_id: clientId }, None(), token, {
          ...sending,
          additionalParameters: { token_type_hint },
        }),
      options,
    ).catch((error: unknown) => {
      const reason = String(refusalReason(error));
      // Some issuers say so of a token that is gone already, such as by the revocation of the other one.
      if (/^invalid_(grant|token)$/.test(reason)) return;
      // RFC 7009, section 2.2.1: an access token may end with its refresh token alone.
      const endsWithOther = token === tokens.access_token && tokens.refresh_token;
      if (reason !== "unsupported_token_type" || !endsWithOther) throw error;
    });
  };
  for (const each of await Promise.allSettled(HINTS.map(revoke))) {
    if (each.status === "rejected") throw each.reason;
  }
}

/** Revokes tokens that nobody will use; whether that succeeds makes no difference to the caller. */
export function revokeQuietly(...parameters: Parameters<typeof revokeTokens>): void {
  revokeTokens(...parameters).catch(() => undefined);
}
