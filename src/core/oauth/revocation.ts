import type { RequestOptions } from "../http/fetch.js";
import { presentMembers } from "../http/json.js";
import { postForm } from "./issuer-request.js";
import type { AuthMetadata } from "./metadata.js";
import { refusalReason } from "./refusal.js";

/**
 * Revokes tokens, which signs out their device. In Matrix with OAuth 2.0 this replaces `/logout`.
 * Both requests are sent immediately, and continue when the user leaves the page.
 *
 * @throws {OidcFlowError} `RevokeTokenFailed` with the request's code or `token_request_refused`. A
 *   token that is already invalid does not count as a failure, nor does a provider that revokes
 *   access tokens only together with their refresh token.
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-revocation
 * @experimental
 */
export async function revokeTokens(
  metadata: Pick<AuthMetadata, "revocation_endpoint">,
  clientId: string,
  tokens: { readonly refresh_token?: string; readonly access_token?: string },
  options?: RequestOptions,
): Promise<void> {
  const revoke = async (token_type_hint: keyof typeof tokens): Promise<void> => {
    const token = tokens[token_type_hint];
    if (!token) return;
    const body = new URLSearchParams({ token, token_type_hint, client_id: clientId });
    await postForm("Failed to revoke token", metadata.revocation_endpoint, { body }, options).catch(
      (error: unknown) => {
        const reason = String(refusalReason(error));
        // Some providers send this response for a token that is already revoked, for example together
        // with the other token.
        if (/^invalid_(grant|token)$/.test(reason)) return;
        // RFC 7009, section 2.2.1: a provider may revoke access tokens only with their refresh token.
        const endsWithOther = token === tokens.access_token && tokens.refresh_token;
        if (reason !== "unsupported_token_type" || !endsWithOther) throw error;
      },
    );
  };
  const requests = [revoke("refresh_token"), revoke("access_token")];
  for (const each of await Promise.allSettled(requests)) {
    if (each.status === "rejected") throw each.reason;
  }
}

/**
 * Revokes tokens that are not used, even after the caller has aborted. Tokens for a device that the
 * page named at sign-in are not revoked: some servers remove a device, and with it another session,
 * when any of its tokens is revoked. Tokens for another user or device are always revoked.
 */
export function revokeUnused(
  grant: {
    readonly metadata: Pick<AuthMetadata, "revocation_endpoint">;
    readonly clientId: string;
    readonly isDeviceNamed?: boolean;
  },
  tokens: unknown,
  { fetch, timeoutMs }: RequestOptions = {},
  isOther = false,
): void {
  const { metadata, clientId, isDeviceNamed } = grant;
  if (isDeviceNamed && !isOther) return;
  const limits = { fetch, timeoutMs };
  revokeTokens(metadata, clientId, presentMembers(tokens), limits).catch(() => undefined);
}
