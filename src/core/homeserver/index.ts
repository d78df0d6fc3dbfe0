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
export type {
  CrossSigningKey,
  CrossSigningKeys,
  CrossSigningResult,
} from "./cross-signing-keys.js";
export { discoverHomeserver, type DiscoveredHomeserver } from "./discover-homeserver.js";
export { HomeserverClient } from "./homeserver-client.js";
export type { AccessTokenSource, HomeserverClientOptions } from "./homeserver-connection.js";
export { MatrixError } from "./matrix-error.js";
