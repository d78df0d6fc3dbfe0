// matrix-js-sdk 41.9, the last with `src/oidc`. By its modules: its index would bring the whole client,
// which signing in does not need. What is left to the app is one request, for the metadata,
// which only `MatrixClient.getAuthMetadata()` makes.
export { AutoDiscovery } from "matrix-js-sdk-41/lib/autodiscovery.js";
export { MatrixError } from "matrix-js-sdk-41/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-41/lib/interactive-auth.js";
export {
  OidcTokenRefresher,
  completeAuthorizationCodeGrant,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  validateAuthMetadataAndKeys,
} from "matrix-js-sdk-41/lib/oidc/index.js";
export { secureRandomString } from "matrix-js-sdk-41/lib/randomstring.js";
