import type { RequestOptions } from "../http/index.js";
import type { BearerTokenResponse, IssuerEndpoints } from "../oidc/index.js";
import type { SessionRecord } from "./session-record.js";
import type { SessionEnd } from "./shared-record.js";

/** New tokens, and where they came from. */
export interface RefreshedTokens {
  readonly tokenResponse: BearerTokenResponse;
  readonly metadata?: IssuerEndpoints;
}

/** How a session of one kind gets new tokens, and gives up those that it has. */
export interface TokenGrant<R extends SessionRecord = SessionRecord> {
  /** @throws {OidcFlowError} `RefreshTokenFailed`, and what else the kind's requests reject with. */
  refresh(record: R): Promise<RefreshedTokens>;
  /** How a failed refresh ends the session; undefined if the session goes on. */
  endOf(error: unknown): SessionEnd["state"] | undefined;
  /** Gives up a record's tokens. */
  revoke(record: R, options: RequestOptions): Promise<void>;
}
