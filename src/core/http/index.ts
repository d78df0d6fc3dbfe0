export { bearer, isToken } from "./bearer.js";
export { boundedFetch, withTimeout, type RequestOptions } from "./bounded-fetch.js";
export {
  isLoopbackHost,
  isTrustworthyUrl,
  joinUrl,
  mayName,
  parseTrustworthyUrl,
  parseUrl,
  withoutTrailingSlashes,
} from "./url.js";
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
export {
  requestJson,
  unexpectedResponse,
  type JsonResponse,
  type JsonRequest,
} from "./json-request.js";
export {
  RequestError,
  RequestErrorCode,
  codeOfStatus,
  type RequestErrorOptions,
} from "./request-error.js";
export { wait, type AbortOptions } from "./wait.js";
