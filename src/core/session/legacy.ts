import { RequestErrorCode } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { LoginError } from "../legacy/errors.js";
import type { LegacyLoginResult } from "../legacy/login.js";
import { logOut, refreshLegacyTokens } from "../legacy/login.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "../oauth/errors.js";
import { isLegacyRecord, type LegacyRecord, legacyRecordOf } from "./record.js";
import { isFresh, type RefreshedTokens, type TokenGrant } from "./refresh.js";
import {
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
  TokenSession,
} from "./session.js";
import type { SessionEnd } from "./shared-record.js";

/**
 * What an application keeps while a user is signed in by the legacy API, as an {@link OidcSession} for
 * OAuth 2.0: with the same events, and the same errors.
 *
 * It ends only if the homeserver does not know the token and there is no refresh token, or refuses the
 * refresh token as unknown or forbidden. A token without a refresh token never expires by itself.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#refreshing-access-tokens
 * @experimental
 */
export class LegacySession extends TokenSession<LegacyRecord> implements MatrixSession {
  readonly kind = "legacy";

  /** @param result What `loginWithPassword` and `completeSsoLogin` resolve with. */
  constructor(result: LegacyLoginResult, options: SessionOptions = {}) {
    const isNew = !isLegacyRecord(result);
    const record = isNew ? legacyRecordOf(result) : result;
    super(record, isNew, options, (requests) => new LegacyGrant(requests));
  }

  get user(): MatrixUser & { readonly userId: string } {
    const { userId, deviceId } = this.record;
    return { userId, deviceId };
  }
}

/** What a homeserver says of a refresh token that it will never accept again, with the status. */
const FINAL: readonly unknown[] = [
  "401 M_UNKNOWN_TOKEN",
  "403 M_FORBIDDEN",
  "403 M_USER_DEACTIVATED",
];

/**
 * Refreshes and gives up the tokens of the legacy API.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#refreshing-access-tokens
 */
export class LegacyGrant implements TokenGrant<LegacyRecord> {
  readonly #options: RequestOptions;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** @throws {OidcFlowError} `RefreshTokenFailed`, with a `LoginError` as its cause. */
  async refresh({ homeserverUrl, tokenResponse }: LegacyRecord): Promise<RefreshedTokens> {
    const { refresh_token } = tokenResponse;
    if (!refresh_token) throw refreshFailed("refresh_not_possible");
    const requestedAt = Date.now();
    try {
      const tokens = await refreshLegacyTokens(homeserverUrl, refresh_token, this.#options);
      const { accessToken, refreshToken = refresh_token, expiresInMs } = tokens;
      const seconds = expiresInMs === undefined ? undefined : expiresInMs / 1000;
      return {
        tokenResponse: {
          access_token: accessToken,
          token_type: "Bearer",
          refresh_token: refreshToken,
          ...(seconds !== undefined && {
            expires_in: seconds,
            expires_at: requestedAt / 1000 + seconds,
          }),
        },
      };
    } catch (error) {
      throw refreshFailed(codeOf(error), error);
    }
  }

  endOf(error: unknown): SessionEnd["state"] | undefined {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    if (!(cause instanceof LoginError)) return undefined;
    if (!FINAL.includes(`${cause.httpStatus} ${cause.errcode}`)) return undefined;
    return cause.softLogout ? "soft-logout" : "signed-out";
  }

  /**
   * Signs out the device, which takes a valid access token.
   *
   * @throws {LoginError}
   */
  async revoke(record: LegacyRecord, options: RequestOptions): Promise<void> {
    const { homeserverUrl, tokenResponse } = record;
    const { access_token: old, refresh_token } = tokenResponse;
    const logOutBy = async (token: string): Promise<void> => {
      try {
        await logOut(homeserverUrl, token, options);
      } catch (error) {
        if (!isUnknownToken(error) || (refresh_token && error.softLogout)) throw error;
      }
    };
    const refresh = async (): Promise<string> => {
      if (!refresh_token) return old;
      return (await refreshLegacyTokens(homeserverUrl, refresh_token, options)).accessToken;
    };
    if (isFresh(tokenResponse)) {
      try {
        return await logOutBy(old);
      } catch (error) {
        // The homeserver keeps the device of a token that has only expired.
        if (!isUnknownToken(error)) throw error;
      }
    }
    await logOutBy(await refresh().catch(() => old));
  }
}

const isUnknownToken = (error: unknown): error is LoginError =>
  error instanceof LoginError && error.errcode === "M_UNKNOWN_TOKEN";

const refreshFailed = (code: OidcErrorCode, cause?: unknown): OidcFlowError =>
  new OidcFlowError(OidcError.RefreshTokenFailed, code, cause);

const REQUEST_CODES: readonly unknown[] = Object.values(RequestErrorCode);

/** The code of the same failure, as refreshes report it. */
function codeOf(error: unknown): OidcErrorCode {
  const code = error instanceof LoginError ? error.code : undefined;
  if (code === "login_response_invalid") return "token_response_invalid";
  return REQUEST_CODES.includes(code) ? (code as RequestErrorCode) : "token_request_refused";
}
