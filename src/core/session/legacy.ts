import { RequestErrorCode } from "../http/errors.js";
import { isHeaderToken, type RequestOptions } from "../http/fetch.js";
import { countIn, textIn } from "../http/json.js";
import { asLoginError, LoginError } from "../legacy/errors.js";
import type { LegacyLoginResult } from "../legacy/login.js";
import { isRefusal } from "../matrix/error.js";
import { logOut, requestMatrix } from "../matrix/request.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "../oauth/errors.js";
import type { BearerTokenResponse } from "../oauth/token-response.js";
import {
  isLegacyRecord,
  type LegacyRecord,
  legacyRecordOf,
  remainingLifetimeMs,
  type TokenGrant,
} from "./record.js";
import {
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
  TokenSession,
} from "./session.js";

/**
 * The session of a user who signed in with the legacy API. It has the same events and errors as an
 * {@link OidcSession}.
 *
 * It ends only if the homeserver rejects the access token and there is no refresh token, or rejects
 * the refresh token as unknown or forbidden. Without a refresh token, the access token doesn't
 * expire.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#refreshing-access-tokens
 * @experimental
 */
export class LegacySession extends TokenSession<LegacyRecord> implements MatrixSession {
  readonly kind = "legacy";

  /** @param result The result of `loginWithPassword` or `completeSsoLogin`. */
  constructor(result: LegacyLoginResult, options: SessionOptions = {}) {
    const isNew = !isLegacyRecord(result);
    const record = isNew ? legacyRecordOf(result) : result;
    super(record, isNew, options, legacyGrant);
  }

  get user(): MatrixUser & { readonly userId: string } {
    const { userId, deviceId } = this.record;
    return { userId, deviceId };
  }
}

const FINAL_REFUSALS: readonly unknown[] = [
  "401 M_UNKNOWN_TOKEN",
  "403 M_FORBIDDEN",
  "403 M_USER_DEACTIVATED",
];

const legacyGrant: TokenGrant<LegacyRecord> = {
  async refresh(record, options) {
    return { tokenResponse: await requestTokens(record, options) };
  },

  endOf(error) {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    if (!(cause instanceof LoginError)) return undefined;
    if (!FINAL_REFUSALS.includes(`${cause.httpStatus} ${cause.errcode}`)) return undefined;
    return cause.softLogout ? "soft-logout" : "signed-out";
  },

  /** Signs out the device, which requires a valid access token. @throws what {@link logOut} throws. */
  async revoke(record, options) {
    const { homeserverUrl, tokenResponse } = record;
    const logOutWith = async ({ access_token }: BearerTokenResponse) => {
      try {
        await logOut(homeserverUrl, access_token, options);
      } catch (error) {
        if (!isRefusal(error, "M_UNKNOWN_TOKEN")) throw error;
        if (tokenResponse.refresh_token && error.data["soft_logout"] === true) throw error;
      }
    };
    // A page that closes has no time for new tokens, so the old one is used to its last second.
    if (remainingLifetimeMs(tokenResponse) > 0) {
      try {
        return await logOutWith(tokenResponse);
      } catch (error) {
        // The token might have expired while the device is still signed in.
        if (!isRefusal(error, "M_UNKNOWN_TOKEN")) throw error;
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
    const lifetimeMs = countIn(expires_in_ms);
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
  new OidcFlowError(OidcError.RefreshTokenFailed, code, cause);

const REQUEST_CODES: readonly unknown[] = Object.values(RequestErrorCode);

function refreshErrorCode(error: unknown): OidcErrorCode {
  const code = error instanceof LoginError ? error.code : undefined;
  if (code === "login_response_invalid") return "token_response_invalid";
  return REQUEST_CODES.includes(code) ? (code as RequestErrorCode) : "token_request_refused";
}
