import type { IdTokenClaims } from "../oauth/id-token.js";
import { isOAuthRecord, type OAuthRecord, oauthRecordOf, type SessionSource } from "./record.js";
import {
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
  TokenSession,
  unlessEnded,
} from "./session.js";
import { readStoredRecord } from "./stored-record.js";

export interface OidcSessionOptions extends SessionOptions {
  /** The user ID, from `HomeserverClient.whoami()`, if the sign-in's result does not contain it. */
  readonly userId?: string | undefined;
}

/**
 * The session of a user who signed in with OAuth 2.0. It refreshes its access token when needed, in
 * one tab for all tabs.
 *
 * It ends only if the provider rejects the refresh token for good, or if new tokens are for another
 * user or device. It also ends if the homeserver rejects the access token and no other token is
 * available. Its methods reject with an `OidcFlowError`: `SessionEnded` (`session_ended`) if the
 * session is over, with the rejection as its `cause`. After any other error the session continues,
 * and you can try again.
 *
 * Events for changes in any tab: `session-changed` fires when the tokens were replaced or the user
 * ID has arrived, and `session-ended` (`{ softLogout, reason }`) when the session ends.
 * `session-refresh-failed` (`{ error, retryAt }`) fires when this tab could not refresh the tokens
 * for now.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
 * @experimental
 */
export class OidcSession extends TokenSession<OAuthRecord> implements MatrixSession {
  readonly kind = "oauth";

  /**
   * Restores the session in a store, as `restoreSession()` does; `undefined` for a session with the
   * legacy API.
   *
   * @param options The options the session was created with.
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`): the browser blocks the
   * store.
   */
  static async restore(options: OidcSessionOptions): Promise<OidcSession | undefined> {
    const record = await readStoredRecord(options.store, options.key);
    return record?.kind === "oauth" ? unlessEnded(new OidcSession(record, options)) : undefined;
  }

  /**
   * @param result The result of `completeAuthorizationCodeGrant`, or of another sign-in with OAuth
   *   2.0.
   * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`): a token, an ID, or a URL is missing
   *   or invalid, so the session could not be restored.
   */
  constructor(result: SessionSource, options: OidcSessionOptions = {}) {
    super(oauthRecordOf(result, options.userId), !isOAuthRecord(result), options);
  }

  /** The signed-in user, and the claims that were verified at sign-in. */
  get user(): MatrixUser & { readonly idTokenClaims: IdTokenClaims | undefined } {
    const { userId, deviceId, idTokenClaims } = this.record;
    return { userId, deviceId, idTokenClaims };
  }

  /** The issuer and the client ID of the sign-in. */
  get oidcClientSettings(): SessionSource["oidcClientSettings"] {
    return this.record.oidcClientSettings;
  }

  /** The granted scope. */
  get scope(): string {
    return this.record.scope;
  }
}
