import type { LegacyLoginResult } from "../legacy/login.js";
import { isLegacyRecord, type LegacyRecord, legacyRecordOf } from "./record.js";
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

  /**
   * @param result The result of `loginWithPassword` or `completeSsoLogin`.
   * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`): a token, an ID, or a URL is missing
   *   or invalid, so the session could not be restored.
   */
  constructor(result: LegacyLoginResult, options: SessionOptions = {}) {
    const isNew = !isLegacyRecord(result);
    const record = isNew ? legacyRecordOf(result) : result;
    super(record, isNew, options);
  }

  get user(): MatrixUser & { readonly userId: string } {
    const { userId, deviceId } = this.record;
    return { userId, deviceId };
  }
}
