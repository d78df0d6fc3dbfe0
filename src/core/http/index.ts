export { AuthError, type AuthErrorOptions } from "./auth-error.js";
export {
  bearer,
  boundedFetch,
  isToken,
  requestJson,
  unexpectedResponse,
  withTimeout,
  type JsonRequest,
  type JsonResponse,
  type RequestOptions,
} from "./fetch.js";
export {
  isJsonObject,
  isListOfStrings,
  isText,
  parseJson,
  presentMembers,
  reasonIn,
  retryAfterMs,
  type JsonObject,
} from "./json.js";
export { RequestError, RequestErrorCode, codeOfStatus } from "./errors.js";
export {
  isLoopbackHost,
  isTrustworthyUrl,
  joinUrl,
  mayName,
  parseTrustworthyUrl,
  parseUrl,
  withoutTrailingSlashes,
} from "./url.js";
export { wait, type AbortOptions } from "./wait.js";
