import { presentMembers } from "./json.js";

export function codeOfStatus(
  status: number,
): "rate_limited" | "server_error" | "unexpected_status" {
  if (status === 429) return "rate_limited";
  // 501 means that the server doesn't have the endpoint.
  const isTemporary = (status >= 500 && status !== 501) || status === 408 || status === 425;
  return isTemporary ? "server_error" : "unexpected_status";
}

/** Whether an error response only means that the server has a temporary problem. */
export const isTransientStatus = (status: number): boolean =>
  codeOfStatus(status) !== "unexpected_status";

/**
 * The code of an error response. A provider may say with any status that it has a temporary problem.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export function codeOfResponse({ status, body }: ErrorResponse): ReturnType<typeof codeOfStatus> {
  const { error } = presentMembers(body);
  const isTemporary = error === "temporarily_unavailable" || error === "server_error";
  return isTemporary ? "server_error" : codeOfStatus(status);
}

/** Like {@link isTransientStatus}, also for what the body says. */
export const isTransient = (response: ErrorResponse): boolean =>
  codeOfResponse(response) !== "unexpected_status";

interface ErrorResponse {
  readonly status: number;
  readonly body?: unknown;
}

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
  if (CONNECTION_ERRORS.includes(name)) return code !== "unexpected";
  if (message === CONNECTION_LOST || CONNECTION_FAILED.test(String(code))) return true;
  return name === "TypeError" && typeof message === "string" && FETCH_FAILED.test(message);
}
