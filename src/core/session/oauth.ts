import type { RequestOptions } from "../http/fetch.js";
import { isText } from "../http/json.js";
import { requestMatrix } from "../matrix/request.js";
import type { IdTokenClaims } from "../oauth/id-token.js";
import { OAuthGrant } from "./oauth-grant.js";
import {
  isOAuthRecord,
  type OAuthRecord,
  oauthRecordOf,
  parseRecord,
  type SessionRecord,
  type SessionSource,
} from "./record.js";
import { isFresh } from "./refresh.js";
import {
  DEFAULT_KEY,
  type MatrixSession,
  type MatrixUser,
  type SessionOptions,
  TokenSession,
} from "./session.js";
import { readStore } from "./store.js";

export interface OidcSessionOptions extends SessionOptions {
  /** Who has signed in, as `HomeserverClient.whoami()` says; kept with the session, unless that knows it. */
  readonly userId?: string | undefined;
}

/**
 * What an application keeps while a user is signed in by OAuth 2.0: it has a valid access token, and gets
 * a new one when it is needed, once among all tabs.
 *
 * It ends only if the issuer says that it will never accept the refresh token again, if new tokens are for
 * another user or device, or if the homeserver does not know the token and there is no other. What takes
 * time rejects with an `OidcFlowError`: `SessionEnded` (`session_ended`) where the session is over, with
 * the refusal as its `cause`; any other leaves the session as it is, to try again.
 *
 * It fires, because of this tab or another: `session-changed` where the tokens were replaced, or the user ID
 * has become known; `session-ended` (`{ softLogout, reason }`); and `session-refresh-failed`
 * (`{ error, retryAt }`) where this tab got no new tokens for now.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
 * @experimental
 */
export class OidcSession extends TokenSession<OAuthRecord> implements MatrixSession {
  readonly kind = "oauth";
  /** Ends the request for the user ID. */
  #asking = new AbortController();

  /**
   * The session that a store keeps; undefined where it keeps none, or nothing that can be read. After a
   * soft logout its `state` says so: the user has to sign in again, as the same device. A session
   * whose user ID is not known yet asks the homeserver; `session-changed` tells it.
   *
   * @param options As those that the session was made with.
   * @throws {OidcFlowError} `StorageUnavailable` (`storage_unavailable`): the browser refuses the store.
   */
  static async restore(options: OidcSessionOptions): Promise<OidcSession | undefined> {
    const record = parseRecord(await readStore(options.store, options.key ?? DEFAULT_KEY));
    return record?.kind === "oauth" ? new OidcSession(record, options) : undefined;
  }

  /** @param result What `completeAuthorizationCodeGrant` and its like resolve with. */
  constructor(result: SessionSource, options: OidcSessionOptions = {}) {
    const isNew = !isOAuthRecord(result);
    const record = isNew ? oauthRecordOf(result) : result;
    const { issuer } = record.oidcClientSettings;
    super(
      { ...record, userId: record.userId ?? options.userId },
      isNew,
      options,
      (requests) => new OAuthGrant(issuer, requests),
    );
    if (isNew) return;
    void this.#identify(options);
    this.addEventListener("session-changed", () => void this.#identify(options));
  }

  /** Who is signed in, and the claims that were verified when the user signed in. */
  get user(): MatrixUser & { readonly idTokenClaims: IdTokenClaims | undefined } {
    const { userId, deviceId, idTokenClaims } = this.record;
    return { userId, deviceId, idTokenClaims };
  }

  /** Where, and as which client, the user signed in. */
  get oidcClientSettings(): SessionSource["oidcClientSettings"] {
    return this.record.oidcClientSettings;
  }

  /** What the user granted. */
  get scope(): string {
    return this.record.scope;
  }

  override close(): void {
    this.#asking.abort();
    super.close();
  }

  /**
   * Asks who has signed in, if that is not known yet. It only uses a token that needs no refresh, since the page can be
   * left before new tokens are stored. A new token ends the request with the old one.
   */
  async #identify(options: RequestOptions): Promise<void> {
    this.#asking.abort();
    const { userId: known, tokenResponse } = this.record;
    if (this.state !== "signed-in" || known !== undefined || !isFresh(tokenResponse)) return;
    const { signal } = (this.#asking = new AbortController());
    try {
      const userId = await fetchUserId(this.record, { ...options, signal });
      if (userId) await this.noteUserId(userId, signal);
    } catch {
      // With the next token, or when it is restored again.
    }
  }
}

/**
 * Asks the homeserver whose tokens they are. A token that it refuses stays as it is: whatever else needs one finds out.
 *
 * @returns The user ID; undefined where the homeserver does not tell it.
 * @throws {MatrixError}
 * @throws {RequestError}
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
 */
export async function fetchUserId(
  { homeserverUrl, tokenResponse }: SessionRecord,
  options: RequestOptions,
): Promise<string | undefined> {
  const request = { accessToken: tokenResponse.access_token };
  const { user_id } = await requestMatrix(homeserverUrl, "v3/account/whoami", request, options);
  return isText(user_id) ? user_id : undefined;
}
