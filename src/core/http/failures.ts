import { RequestErrorCode } from "./errors.js";

export function codeOfStatus(
  status: number,
): "rate_limited" | "server_error" | "unexpected_status" {
  if (status === 429) return "rate_limited";
  return status >= 500 || status === 408 || status === 425 ? "server_error" : "unexpected_status";
}

/** Whether an error response only means that the server has a temporary problem. */
export const isTransientStatus = (status: number): boolean =>
  codeOfStatus(status) !== "unexpected_status";

/**
 * The names and codes of errors without a response, in this library, matrix-js-sdk, other clients,
 * and `AbortSignal`.
 */
const CONNECTION_ERRORS: readonly unknown[] = [
  "RequestError",
  "ConnectionError",
  "FetchError",
  "NetworkError",
  "TimeoutError",
];

/**
 * The message of the platform's `fetch` without a response: of Chromium (also while it reads a body),
 * Firefox, Safari, Node, React Native, and Deno. Only the message distinguishes it from a fault in a
 * page's code, which is also a `TypeError`.
 */
const FETCH_FAILED =
  /^(Failed to fetch|network error|NetworkError when attempting to fetch resource\.|Error in (input|body) stream|Load failed|fetch failed|terminated|Network request failed|error reading a body from connection)( \([^)]*\))?$/;

/** The message of an `Error` of Cloudflare Workers. */
const CONNECTION_LOST = "Network connection lost.";

/** The codes of Bun's `fetch`, and of Node's connections. */
const CONNECTION_FAILED = /^(E(CONN|NET|HOST|TIMED)[A-Z]+|ENOTFOUND|EAI_AGAIN)$/;

/** The properties that engines add to an error, such as its position in the code. */
const OF_ENGINE = /^(message|stack|line|column|sourceURL|(file|line|column)(Name|Number))$/;

/** Whether it is an error of the platform's `fetch`, which contains nothing from the request. */
export const isPlatformFailure = (error: unknown): boolean =>
  error instanceof TypeError &&
  FETCH_FAILED.test(error.message) &&
  !error.message.includes("(") &&
  Reflect.ownKeys(error).every((name) => OF_ENGINE.test(String(name)));

/** Whether an error, which may come from an app's code, means that there was no response. */
export function isConnectionError(error: unknown): boolean {
  const { name, message, code } = Object(error) as Partial<Record<string, unknown>>;
  if (CONNECTION_ERRORS.includes(name)) return code !== RequestErrorCode.Unexpected;
  if (message === CONNECTION_LOST || CONNECTION_FAILED.test(String(code))) return true;
  return name === "TypeError" && typeof message === "string" && FETCH_FAILED.test(message);
}
