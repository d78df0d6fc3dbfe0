import type { LegacyLoginResult } from "../legacy/index.js";
import { LegacyGrant } from "./legacy-grant.js";
import type { MatrixSession, MatrixUser, SessionOptions } from "./matrix-session.js";
import { isLegacyRecord, legacyRecordOf, type LegacyRecord } from "./session-record.js";
import { TokenSession } from "./token-session.js";

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
