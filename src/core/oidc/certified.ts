// What signing in and sessions use of oauth4webapi, which is certified for OpenID Connect. In dist/cdn/ they share one file
// with it; core.js has a copy of its own, with what device-grant.ts uses besides.
// The library has deprecated allowInsecureRequests as a warning; it does not plan to remove it.
/* eslint-disable @typescript-eslint/no-deprecated */
export {
  AuthorizationResponseError,
  JWT_TIMESTAMP_CHECK,
  None,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  clockSkew,
  clockTolerance,
  customFetch,
  jwksCache,
  processAuthorizationCodeResponse,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  type AuthorizationServer,
  type CustomFetchOptions,
  type HttpRequestOptions,
} from "oauth4webapi";
