// The functions of oauth4webapi, certified for OpenID Connect, that sign-in and sessions use. In
// dist/cdn/ they are in requests.js, a file that several bundles share. core.js has its own copy,
// because device-grant.ts uses more functions. The library marks allowInsecureRequests as
// deprecated only as a warning. It does not plan to remove it.
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
  jweDecrypt,
  jwksCache,
  processAuthorizationCodeResponse,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  type AuthorizationServer,
  type HttpRequestOptions,
} from "oauth4webapi";
