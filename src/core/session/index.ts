export { LegacySession } from "./legacy.js";
export type { MatrixSession, MatrixUser, SessionKind, SessionOptions } from "./session.js";
export { OidcSession, type OidcSessionOptions, type SessionUser } from "./oauth.js";
export {
  OidcTokenRefresher,
  type AccessTokens,
  type OidcTokenRefresherOptions,
} from "./oidc-token-refresher.js";
export { hasSession, listSessions, restoreSession, type StoredSession } from "./restore.js";
export {
  SessionChangedEvent,
  SessionEndedEvent,
  SessionRefreshFailedEvent,
  type SessionEventMap,
  type SessionEndReason,
  type SessionEndedDetail,
  type SessionRefreshFailedDetail,
} from "./events.js";
export type { SessionSource } from "./record.js";
export { SessionStartedEvent, SessionWatcher } from "./watcher.js";
export type { SessionStore, SessionStoreName } from "./store.js";
export { type SessionState } from "./shared-record.js";
