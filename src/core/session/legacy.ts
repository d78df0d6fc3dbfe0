import { RequestErrorCode } from "../http/errors.js";
import { LoginError } from "../legacy/errors.js";
import { type LegacyLoginResult, logOut, refreshLegacyTokens } from "../legacy/login.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "../oauth/errors.js";
import type { BearerTokenResponse } from "../oauth/token-response.js";
import { isLegacyRecord, type LegacyRecord, legacyRecordOf } from "./record.js";
import { isFresh, type TokenGrant } from "./refresh.js";
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

/** @see https://spec.matrix.org/v1.19/client-server-api/#refreshing-access-tokens */
const legacyGrant: TokenGrant<LegacyRecord> = {
  async refresh({ homeserverUrl, tokenResponse }, options) {
    const { refresh_token } = tokenResponse;
    if (!refresh_token) throw refreshFailed("refresh_not_possible");
    const requestedAt = Date.now();
    try {
      const tokens = await refreshLegacyTokens(homeserverUrl, refresh_token, options);
      const { accessToken, refreshToken = refresh_token, expiresInMs } = tokens;
      const granted: BearerTokenResponse = {
        access_token: accessToken,
        token_type: "Bearer",
        refresh_token: refreshToken,
      };
      if (expiresInMs === undefined) return { tokenResponse: granted };
      const expires_in = expiresInMs / 1000;
      const expires_at = requestedAt / 1000 + expires_in;
      return { tokenResponse: { ...granted, expires_in, expires_at } };
    } catch (error) {
      throw refreshFailed(refreshErrorCode(error), error);
    }
  },

  endOf(error) {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    if (!(cause instanceof LoginError)) return undefined;
    if (!FINAL_REFUSALS.includes(`${cause.httpStatus} ${cause.errcode}`)) return undefined;
    return cause.softLogout ? "soft-logout" : "signed-out";
  },

  /** Signs out the device, which requires a valid access token. @throws {LoginError} */
  async revoke({ homeserverUrl, tokenResponse }, options) {
    const { access_token: old, refresh_token } = tokenResponse;
    const logOutWith = async (token: string) => {
      try {
        await logOut(homeserverUrl, token, options);
      } catch (error) {
        if (!isUnknownToken(error) || (refresh_token && error.softLogout)) throw error;
      }
    };
    const refresh = async () => {
      if (!refresh_token) return old;
      return (await refreshLegacyTokens(homeserverUrl, refresh_token, options)).accessToken;
    };
    if (isFresh(tokenResponse)) {
      try {
        return await logOutWith(old);
      } catch (error) {
        // The token might have expired while the device is still signed in.
        if (!isUnknownToken(error)) throw error;
      }
    }
    await logOutWith(await refresh().catch(() => old));
  },
};

const isUnknownToken = (error: unknown): error is LoginError =>
  error instanceof LoginError && error.errcode === "M_UNKNOWN_TOKEN";

const refreshFailed = (code: OidcErrorCode, cause?: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.RefreshTokenFailed, code, cause);

const REQUEST_CODES: readonly unknown[] = Object.values(RequestErrorCode);

function refreshErrorCode(error: unknown): OidcErrorCode {
  const code = error instanceof LoginError ? error.code : undefined;
  if (code === "login_response_invalid") return "token_response_invalid";
  return REQUEST_CODES.includes(code) ? (code as RequestErrorCode) : "token_request_refused";
}
