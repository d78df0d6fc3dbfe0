export { LegacySession } from "./legacy-session.js";
export type { MatrixSession, MatrixUser, SessionKind, SessionOptions } from "./matrix-session.js";
export { OidcSession, type OidcSessionOptions, type SessionUser } from "./oidc-session.js";
export {
  OidcTokenRefresher,
  type AccessTokens,
  type OidcTokenRefresherOptions,
} from "./oidc-token-refresher.js";
export { hasSession, listSessions, restoreSession, type StoredSession } from "./restore-session.js";
export {
  SessionChangedEvent,
  SessionEndedEvent,
  SessionRefreshFailedEvent,
  type SessionEventMap,
  type SessionEndReason,
  type SessionEndedDetail,
  type SessionRefreshFailedDetail,
} from "./session-events.js";
export type { SessionSource } from "./session-record.js";
export { SessionStartedEvent, SessionWatcher } from "./session-watcher.js";
export type { SessionStore, SessionStoreName } from "./session-store.js";
export { type SessionState } from "./shared-record.js";
