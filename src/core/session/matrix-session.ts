import type { AbortOptions } from "../http/index.js";
import type { SessionEventTarget } from "./session-events.js";
import type { SessionStore, SessionStoreName } from "./session-store.js";
import type { SessionState } from "./shared-record.js";

/** How the user signed in: by the specification's OAuth 2.0 API, or by its legacy API. */
export type SessionKind = "oauth" | "legacy";

export interface SessionOptions {
  /** Where the session is kept. Default: `memory`. */
  readonly store?: SessionStoreName | SessionStore | undefined;
  /** The key in the store: another one for each account that is signed in at the same time. */
  readonly key?: string | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time limit of each request for tokens, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number | undefined;
}

/** Who is signed in. */
export interface MatrixUser {
  /** The Matrix user ID, where it is known. */
  readonly userId: string | undefined;
  readonly deviceId: string;
}

/**
 * What an application keeps while a user is signed in, in whichever way that was. {@link OidcSession} and
 * {@link LegacySession} say what each member does.
 *
 * @experimental
 */
export interface MatrixSession extends InstanceType<typeof SessionEventTarget> {
  readonly kind: SessionKind;
  /** The key in the store. */
  readonly key: string;
  readonly state: SessionState;
  readonly homeserverUrl: string;
  readonly user: MatrixUser;
  readonly expiresAt: number | undefined;
  readonly stored: Promise<void>;
  readonly fetch: typeof globalThis.fetch;
  accessToken(options?: AbortOptions): Promise<string>;
  replaceToken(
    refused: string,
    softLogout: boolean,
    options?: AbortOptions,
  ): Promise<string | undefined>;
  refresh(options?: AbortOptions): Promise<string>;
  signOut(options?: AbortOptions): Promise<boolean>;
  close(): void;
}
