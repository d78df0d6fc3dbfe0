// For apps with matrix-js-sdk's client, or with code that was written for it. It does not import
// matrix-js-sdk.
export { attachSession, type AttachableClient } from "./attach-session.js";
export { AuthType, type InteractiveAuthOptions, OidcError } from "./types.js";
export {
  OidcTokenRefresher,
  type AccessTokens,
  type OidcTokenRefresherOptions,
} from "./oidc-token-refresher.js";
