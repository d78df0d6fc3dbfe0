// The functions of oauth4webapi, certified for OpenID Connect, that sign-in and sessions use. The
// library has deprecated allowInsecureRequests as a warning; it does not plan to remove it.
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
  type HttpRequestOptions,
} from "oauth4webapi";
