// This library's way from a homeserver's name to tokens and to signing out, by all that can lead there.
export {
  accountManagementUrl,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  discoverIssuer,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  revokeTokens,
  startDeviceAuthorization,
  validateAuthMetadata,
  completeDeviceAuthorizationGrant,
} from "matrix-auth-elements/core";
