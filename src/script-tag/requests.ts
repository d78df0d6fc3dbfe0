// The core modules that callback.js and session.js share, as one file of dist/cdn/: `requests.js`. The build
// fails if it lacks a name that they use.
export {
  RequestError,
  RequestErrorCode,
  RETRYABLE_CODES,
  codeOfStatus,
} from "../core/http/errors.js";
export {
  bearerHeader,
  isHeaderToken,
  peekJson,
  requestJson,
  unexpectedResponse,
} from "../core/http/fetch.js";
export {
  countIn,
  isJsonObject,
  isListOfStrings,
  isOAuthCode,
  isText,
  parseJson,
  presentMembers,
  textIn,
} from "../core/http/json.js";
export { joinUrl, parseTrustworthyUrl } from "../core/http/url.js";
export { wait, withDeadline } from "../core/http/wait.js";
export { HomeserverClient } from "../core/matrix/client.js";
export { MatrixError, isRefusal } from "../core/matrix/error.js";
export { logOut, requestMatrix } from "../core/matrix/request.js";
export { readWhoami } from "../core/matrix/whoami.js";
export {
  AuthorizationResponseError,
  JWT_TIMESTAMP_CHECK,
  authorizationCodeGrantRequest,
  clockSkew,
  clockTolerance,
  customFetch,
  jwksCache,
  processAuthorizationCodeResponse,
  processGenericTokenEndpointResponse,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "../core/oauth/certified.js";
export {
  BY_OUR_RULES,
  postToIssuer,
  refusalReason,
  serverOf,
} from "../core/oauth/issuer-request.js";
export { revokeTokens, revokeUnused } from "../core/oauth/revocation.js";
export {
  NO_API,
  OTHER_DEVICE,
  isForDevice,
  readScope,
  scopeNotGranted,
} from "../core/oauth/scope.js";
export { fromBase64url, secureRandomString, toBase64url } from "../core/shared/base64url.js";
export { isDeviceId, isUserId } from "../core/shared/identifiers.js";
