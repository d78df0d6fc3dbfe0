export type {
  AddThreePidOnlyBody,
  Auth,
  BindThreePidBody,
  BootstrapCrossSigningOptions,
  Device,
  Devices,
  EmailTokenRequest,
  LoginResponse,
  LoginToken,
  MsisdnTokenRequest,
  RefreshedTokens,
  RegisterRequest,
  Registration,
  RequestTokenResponse,
  ThreePid,
  ThreePids,
  TokenRequest,
  UnbindResult,
  Whoami,
} from "./api-types.js";
export { fetchAuthMetadata, type AuthMetadataOptions } from "./auth-metadata.js";
export type { CrossSigningKey, CrossSigningKeys, CrossSigningResult } from "./cross-signing.js";
export { discoverHomeserver, type DiscoveredHomeserver } from "./discovery.js";
export { HomeserverClient } from "./client.js";
export type { AccessTokenSource, HomeserverClientOptions } from "./client.js";
export { MatrixError } from "./error.js";
export type { IdentityProvider, LoginFlows } from "./login-flows.js";
export type { SsoRedirectOptions } from "./request.js";
