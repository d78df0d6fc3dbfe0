export { boundedFetch, withinLimits, type RequestOptions } from "./bounded-fetch.js";
export { isLoopbackHost, isTrustworthyUrl, parseTrustworthyUrl, urlBelow } from "./url.js";
export { isJsonObject, parseJson, retryAfterMs, type JsonObject } from "./json.js";
export {
  requestJson,
  unexpectedAnswer,
  type JsonAnswer,
  type JsonRequest,
} from "./json-request.js";
export { RequestError, RequestErrorCode, type RequestErrorOptions } from "./request-error.js";
export { wait, type Waiting } from "./wait.js";
