// This library without its elements: from a homeserver's name to tokens, sessions, and
// User-Interactive Authentication.
export {
  InteractiveAuth,
  OidcSession,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  secureRandomString,
} from "matrix-auth-elements/core";
