export { RequestErrorCode } from "./http/error-codes.js";
export { RequestError } from "./http/errors.js";
export type { RequestOptions } from "./http/fetch.js";
export type { JsonObject } from "./http/json.js";
export type { AbortOptions } from "./http/wait.js";
// All of them are types. TypeScript before 5.0 has no `export type *`.
export * from "./matrix/api-types.js";
export { fetchAuthMetadata, type AuthMetadataOptions } from "./matrix/auth-metadata.js";
export {
  type CrossSigningKey,
  type CrossSigningKeys,
  type CrossSigningResult,
  CrossSigningUploadError,
  type NewCrossSigningKeys,
} from "./matrix/cross-signing-keys.js";
export { discoverHomeserver, type DiscoveredHomeserver } from "./matrix/discovery.js";
export type { AccessTokenSource } from "./matrix/access-token.js";
export { HomeserverClient, type HomeserverClientOptions } from "./matrix/client.js";
export { MatrixError } from "./matrix/error.js";
export type { IdentityProvider, LoginFlows } from "./matrix/login-flows.js";
export { LoginError, LoginErrorCode } from "./legacy/errors.js";
export {
  type LegacyLoginResult,
  type LoginRequest,
  type UserIdentifier,
  loginWithPassword,
  type PasswordLogin,
} from "./legacy/login.js";
export { completeSsoLogin, startSsoLogin, type SsoLogin } from "./legacy/sso.js";
export {
  createFlow,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  generateOidcAuthorizationUrl,
  type AuthorizationParams,
  type OidcAuthorizationOptions,
} from "./oauth/authorization.js";
export { accountManagementUrl } from "./oauth/metadata.js";
export type { AuthorizationCodeGrantResult, BearerTokenResponse } from "./oauth/token-response.js";
export {
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  completeFlow,
  type CompletionOptions,
} from "./oauth/code-grant.js";
export {
  completeDeviceAuthorizationGrant,
  startDeviceAuthorization,
  waitForDeviceAuthorization,
  type DeviceAuthorization,
  type DeviceGrantOptions,
} from "./oauth/device-grant.js";
export { OidcError, OidcErrorCode } from "./oauth/error-codes.js";
export { OidcFlowError } from "./oauth/flow-error.js";
export { flowOfRecord, storeFlow, type PendingFlow } from "./oauth/flow-store.js";
export type { ResponseMode } from "./oauth/response.js";
export type { IdTokenClaims } from "./oauth/id-token.js";
export {
  discoverAndValidateOIDCIssuerWellKnown,
  discoverIssuer,
  type DiscoveryOptions,
  validateAuthMetadata,
  type AuthMetadata,
  type OidcClientConfig,
  type SigningKey,
  type ValidatedAuthMetadata,
} from "./oauth/metadata.js";
export { revokeTokens } from "./oauth/revocation.js";
export { registerOidcClient, type OidcRegistrationClientMetadata } from "./oauth/registration.js";
export { generateScope } from "./oauth/scope.js";
export { secureRandomString } from "./shared/base64url.js";
export { LegacySession } from "./session/legacy.js";
export type {
  MatrixSession,
  MatrixUser,
  SessionOptions,
  SignOutOptions,
} from "./session/session.js";
export { OidcSession, type OidcSessionOptions } from "./session/oauth.js";
export { hasSession, listSessions, restoreSession, type StoredSession } from "./session/restore.js";
export {
  SessionChangedEvent,
  SessionEndedEvent,
  SessionRefreshFailedEvent,
  type SessionEventMap,
  type SessionEndReason,
} from "./session/events.js";
export type { SessionSource, SessionState } from "./session/record.js";
export { SessionStartedEvent, SessionWatcher } from "./session/watcher.js";
export type { ItemChange } from "./session/item-change.js";
export type { SessionStore, SessionStoreName } from "./session/store.js";
export {
  type AuthData,
  type AuthDict,
  type AuthFlow,
  AuthType,
  type IInputs,
  type InteractiveAuthOptions,
  type IStageStatus,
  type UiaClient,
  type UIAuthCallback,
} from "./uia/options.js";
export { readFailure, type Challenge, type Failure } from "./uia/failure.js";
export { NoAuthFlowFoundError, UiaError, UiaErrorCode } from "./uia/errors.js";
export { InteractiveAuth } from "./uia/interactive-auth.js";
