import { boundedFetch, type RequestOptions } from "./bounded-fetch.js";
import { parseJson, reasonIn, retryAfterMs } from "./json.js";
import { RequestError, codeOfStatus } from "./request-error.js";

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
