// This library's half for an issuer that is given: what oidc-client-ts and auth0-spa-js do.
export {
  OidcSession,
  completeAuthorizationCodeGrantFromUrl,
  discoverIssuer,
  generateOidcAuthorizationUrl,
  secureRandomString,
} from "matrix-auth-elements/core";
