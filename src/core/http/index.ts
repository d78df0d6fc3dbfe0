export { boundedFetch, withinLimits, type RequestOptions } from "./bounded-fetch.js";
export { isLoopbackHost, isTrustworthyUrl, parseTrustworthyUrl, urlBelow } from "./address.js";
export {
  isJsonObject,
  parseJson,
  requestJson,
  retryAfterMs,
  unexpectedAnswer,
  type JsonAnswer,
  type JsonObject,
  type JsonRequest,
} from "./json.js";
export { RequestError, RequestErrorCode, type RequestErrorOptions } from "./request-error.js";
export { wait, type Waiting } from "./wait.js";
