export {
  createFlow,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  generateOidcAuthorizationUrl,
  type AuthorizationParams,
  type OidcAuthorizationOptions,
} from "./authorization.js";
export { accountManagementUrl } from "./account-management.js";
export type { BearerTokenResponse } from "./token-response.js";
export {
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  completeFlow,
  type CompletionOptions,
  type FlowCompletionOptions,
} from "./code-grant.js";
export type { RegistrationPolicy } from "./client-cache.js";
export {
  completeDeviceAuthorizationGrant,
  startDeviceAuthorization,
  waitForDeviceAuthorization,
  type DeviceAccessTokenError,
  type DeviceAuthorization,
  type DeviceAuthorizationOptions,
  type DeviceAuthorizationResponse,
  type DeviceGrantOptions,
  type DeviceWaitOptions,
} from "./device-grant.js";
export { OidcError, OidcErrorCode, OidcFlowError } from "./errors.js";
export {
  flowOfRecord,
  storeFlow,
  type FlowMetadata,
  type PendingFlow,
  type ResponseMode,
} from "./flow-store.js";
export type { AuthorizationCodeGrantResult } from "./grant-result.js";
export type { IdTokenClaims } from "./id-token.js";
export {
  discoverAndValidateOIDCIssuerWellKnown,
  discoverIssuer,
  type DiscoveryOptions,
} from "./metadata.js";
export type { IssuerEndpoints } from "./metadata.js";
export {
  validateAuthMetadata,
  type MetadataOptions,
  type AuthMetadata,
  type OidcClientConfig,
  type SigningKey,
  type ValidatedAuthMetadata,
} from "./metadata.js";
export { revokeTokens } from "./revocation.js";
export { registerOidcClient, type OidcRegistrationClientMetadata } from "./registration.js";
export { generateScope, type ScopeOptions } from "./scope.js";
