export { bearer, isToken } from "./json.js";
export { boundedFetch, withTimeout, type RequestOptions } from "./fetch.js";
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
export { requestJson, unexpectedResponse, type JsonResponse, type JsonRequest } from "./json.js";
export {
  RequestError,
  RequestErrorCode,
  codeOfStatus,
  type RequestErrorOptions,
} from "./errors.js";
export { wait, type AbortOptions } from "./fetch.js";
