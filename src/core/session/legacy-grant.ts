import type { RequestOptions } from "../http/fetch.js";
import { lifetimeIn } from "../http/body-members.js";
import { textIn } from "../http/json.js";
import { asLoginError } from "../legacy/as-login-error.js";
import { isRequestCode, LoginError } from "../legacy/errors.js";
import { isUnknownTokenError } from "../matrix/access-token.js";
import { logOut, requestMatrix } from "../matrix/request.js";
import type { OidcErrorCode } from "../oauth/error-codes.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import type { BearerTokenResponse } from "../oauth/token-response.js";
import { type LegacyRecord, remainingLifetimeMs, type TokenGrant } from "./record.js";
import { isHeaderToken } from "../shared/identifiers.js";

const FINAL_REFUSALS: readonly unknown[] = [
  "401 M_UNKNOWN_TOKEN",
  "403 M_FORBIDDEN",
  "403 M_USER_DEACTIVATED",
];

export const legacyGrant: TokenGrant<LegacyRecord> = {
  async refresh(record, options) {
    return { tokenResponse: await requestTokens(record, options) };
  },

  endOf(error) {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    if (!(cause instanceof LoginError)) return undefined;
    if (!FINAL_REFUSALS.includes(`${cause.httpStatus} ${cause.errcode}`)) return undefined;
    return cause.softLogout ? "soft-logout" : "signed-out";
  },

  /** Some homeservers no longer have `/refresh`. */
  mayEnd(error) {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    if (!(cause instanceof LoginError) || cause.retryable) return false;
    if (cause.errcode === "M_USER_LOCKED") return false;
    const isUnknown = cause.errcode === "M_UNKNOWN_TOKEN";
    return isUnknown || [400, 401, 404, 405].includes(cause.httpStatus ?? 0);
  },

  /** Signs out the device, which requires a valid access token. @throws what {@link logOut} throws. */
  async revoke(record, options) {
    const { homeserverUrl, tokenResponse } = record;
    const logOutWith = async ({ access_token }: BearerTokenResponse) => {
      try {
        await logOut(homeserverUrl, access_token, options);
      } catch (error) {
        if (!isUnknownTokenError(error)) throw error;
        if (tokenResponse.refresh_token && error.data["soft_logout"] === true) throw error;
      }
    };
    // A page that is closing has no time to get new tokens, so the old token is used until it
    // expires.
    if (remainingLifetimeMs(tokenResponse) > 0) {
      try {
        return await logOutWith(tokenResponse);
      } catch (error) {
        // The token might have expired while the device is still signed in.
        if (!isUnknownTokenError(error)) throw error;
      }
    }
    await logOutWith(await requestTokens(record, options, true).catch(() => tokenResponse));
  },
};

/** The new tokens, with the old refresh token if the homeserver sends no new one. */
async function requestTokens(
  { homeserverUrl, tokenResponse }: LegacyRecord,
  options: RequestOptions,
  keepalive = false,
): Promise<BearerTokenResponse> {
  const { refresh_token: old } = tokenResponse;
  if (!old) throw refreshFailed("refresh_not_possible");
  const requestedAt = Date.now();
  try {
    const request = { method: "POST", body: { refresh_token: old }, keepalive } as const;
    const response = await requestMatrix(homeserverUrl, "v3/refresh", request, options);
    const { access_token, refresh_token, expires_in_ms } = response;
    if (!isHeaderToken(access_token)) {
      throw new LoginError("login_response_invalid", "The response contains no access token");
    }
    const lifetimeMs = lifetimeIn(expires_in_ms);
    return {
      access_token,
      token_type: "Bearer",
      refresh_token: textIn(refresh_token) ?? old,
      ...(lifetimeMs !== undefined && {
        expires_in: lifetimeMs / 1000,
        expires_at: (requestedAt + lifetimeMs) / 1000,
      }),
    };
  } catch (error) {
    const cause = asLoginError(error);
    throw refreshFailed(refreshErrorCode(cause), cause);
  }
}

const refreshFailed = (code: OidcErrorCode, cause?: unknown): OidcFlowError =>
  new OidcFlowError("Failed to refresh token", code, cause);

function refreshErrorCode({ code }: LoginError): OidcErrorCode {
  if (code === "login_response_invalid") return "token_response_invalid";
  return isRequestCode(code) ? code : "token_request_refused";
}
