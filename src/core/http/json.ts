import { boundedFetch, type RequestOptions } from "./fetch.js";
import { codeOfStatus, RequestError } from "./errors.js";

export interface JsonResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

export interface JsonRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Asks the server even if the HTTP cache holds a response. */
  readonly bypassCache?: boolean | undefined;
  /** `manual`: a redirect fails the request with `unexpected_redirect`. */
  readonly redirect?: RequestInit["redirect"] | undefined;
}

/**
 * URLs whose last request failed. A browser may keep a failure in its HTTP cache for as long as
 * the server says (Synapse lets a 500 from `auth_metadata` live for ten minutes), so the next request
 * bypasses the cache and replaces the entry.
 */
const failedUrls = new Set<string>();
const MAX_FAILED_URLS = 64;

/**
 * Sends a request and reads the response as JSON, whatever its status.
 *
 * @throws {RequestError} as {@link boundedFetch} does.
 */
export async function requestJson(
  url: string,
  {
    method = "GET",
    headers,
    body,
    bypassCache = failedUrls.has(url),
    redirect = "follow",
  }: JsonRequest = {},
  options?: RequestOptions,
): Promise<JsonResponse> {
  const init: RequestInit = {
    method,
    headers: {
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    cache: bypassCache ? "reload" : "default",
    redirect,
    // Undefined for undefined.
    body: JSON.stringify(body),
  };
  try {
    const response = await boundedFetch(url, init, options);
    const parsed = parseJson(response.body);
    // A 404 is a legitimate response too.
    remember(url, response.status === 404 || (response.ok && parsed !== undefined));
    return { ...response, body: parsed };
  } catch (error) {
    // An abort by the caller says nothing about the server.
    if (!(error instanceof RequestError && error.code === "aborted")) remember(url, false);
    throw error;
  }
}

function remember(url: string, good: boolean): void {
  if (good) failedUrls.delete(url);
  else {
    if (failedUrls.size >= MAX_FAILED_URLS) failedUrls.clear();
    failedUrls.add(url);
  }
}

/** The error for a response that is not what was requested. */
export function unexpectedResponse(
  url: string,
  { status, ok, headers, body }: JsonResponse,
): RequestError {
  const origin = new URL(url).origin;
  if (ok) return new RequestError("response_not_json", `${origin} responded without JSON`);
  return new RequestError(codeOfStatus(status), `${origin} responded with HTTP ${status}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers, body),
    reason: reasonIn(body),
  });
}

/** A JSON object whose members have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * How long a 429 asks to wait, in milliseconds: from the `Retry-After` header, which may be a date, or
 * from Matrix's deprecated `retry_after_ms` in the body. Many servers do not expose the header to pages
 * on another origin.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#rate-limiting
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown): number | undefined {
  const header = headers?.get("Retry-After");
  if (header) {
    // Engines take many a text for a date, such as "1.5".
    const isDate = /^[a-z]/i.test(header);
    const ms = isDate ? Math.max(0, Date.parse(header) - Date.now()) : Number(header) * 1000;
    if (ms >= 0 && ms < Infinity) return ms;
  }
  const ms = presentMembers(body)["retry_after_ms"];
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

/**
 * The members of an object that are set. Some servers write those that are not set as `null` or `""`.
 *
 * @returns An empty object for anything that is not an object.
 */
export const presentMembers = (value: unknown): JsonObject =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => (member ?? "") !== ""))
    : {};

/** OAuth 2.0's codes, which some servers write where Matrix has a sentence. */
const CODE = /^[a-z_]+$/;

/** Why a server refused, in its own words: `error_description` (OAuth 2.0) or `error` (Matrix); undefined without any. */
export function reasonIn(body: unknown): string | undefined {
  const { error_description, error } = presentMembers(body);
  if (isText(error_description)) return error_description;
  return isText(error) && !CODE.test(error) ? error : undefined;
}

/** Whether a value is a string that is not empty. */
export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "";

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** What fits in a header. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[!-~]+$/.test(value);

/**
 * What the `Authorization` header has of an access token.
 *
 * @throws {TypeError} if it fits in no header: `fetch` would refuse it too, but with the token in its error.
 */
export function bearer(token: string): string {
  if (!isToken(token)) throw new TypeError("The access token fits in no header");
  return `Bearer ${token}`;
}
