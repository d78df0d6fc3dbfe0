import type { RequestErrorCode } from "./error-codes.js";
import { RequestError } from "./errors.js";
import { codeOfResponse, isConnectionError, isPlatformFailure } from "./failures.js";
import {
  hasNoSecret,
  initOf,
  isRedirect,
  leaveBody,
  LONG_TIMEOUT_MS,
  type JsonRequest,
  type JsonResponse,
  MAX_BYTES,
  readText,
  type RequestOptions,
  TIMEOUT_MS,
  withTimeout,
} from "./fetch.js";
import { masking, reasonIn, retryAfterMs } from "./body-members.js";
import { parseJson } from "./json.js";
import { followSafely } from "./redirects.js";
import type * as Secrets from "./secrets.js";

/**
 * Sends a request. All requests of the library use it, except those of a sign-out, which must not
 * wait for this code. It has time and size limits for the whole response, and accepts a response of
 * any status. The request's secrets are masked in error responses and in errors.
 *
 * @throws {RequestError} `network_error`, `timeout`, `aborted`, `response_too_large`,
 *   `unexpected_redirect`; `unexpected` for a fault of the app's own `fetch`.
 */
export async function requestJson(
  url: string,
  request: JsonRequest = {},
  { fetch = globalThis.fetch, signal: callerSignal, timeoutMs }: RequestOptions = {},
): Promise<JsonResponse> {
  const init = initOf({ bypassCache: failedUrls.has(url), ...request });
  const isPublic = hasNoSecret(request);
  const { origin } = new URL(url);
  const mask = async <T>(value: T): Promise<T> => {
    const { maskOf, secretsIn } = await loadMasking(origin);
    return maskOf(secretsIn(init))(value);
  };
  const send = async (signal: AbortSignal): Promise<JsonResponse> => {
    try {
      const { body, ...response } = await fetchWhole(fetch, url, { ...init, signal }, request);
      const isKnown = response.ok || isPublic || body === undefined;
      return { ...response, body: isKnown ? body : await mask(body), mask };
    } catch (cause) {
      if (signal.aborted || cause instanceof RequestError) throw cause;
      throw withoutResponse(origin, codeOfFailure(fetch, cause), await causeOf(init, cause));
    }
  };
  try {
    const limit = timeoutMs ?? (isPublic ? TIMEOUT_MS : LONG_TIMEOUT_MS);
    const response = await withTimeout(send, origin, { signal: callerSignal, timeoutMs: limit });
    // A 404 is a valid response, too.
    const hasFailed = response.status !== 404 && !(response.ok && response.body !== undefined);
    rememberFailure(url, isPublic && hasFailed);
    return response;
  } catch (cause) {
    // An abort by the caller doesn't indicate a problem of the server.
    rememberFailure(url, isPublic && (cause as RequestError).code !== "aborted");
    throw cause;
  }
}

/** @throws {RequestError} `network_error`: the server's message is unknown, as without a response. */
const loadMasking = (origin: string): Promise<typeof Secrets> =>
  masking.load().catch((cause: unknown) => {
    throw withoutResponse(origin, "network_error", cause);
  });

/** An app's own `fetch` might keep the request in its error. */
async function causeOf(init: RequestInit, cause: unknown): Promise<unknown> {
  if (isPlatformFailure(cause)) return cause;
  const loaded = await masking.load().catch(() => undefined);
  return loaded?.causeWithout(init, cause);
}

type Fetch = typeof globalThis.fetch;

/**
 * The platform's fetch fails only if there is no response. An app's own fetch can also have a
 * fault.
 */
function codeOfFailure(fetch: Fetch, error: unknown): RequestErrorCode {
  const isAborted = (Object(error) as Partial<Error>).name === "AbortError";
  const isOwn = fetch === globalThis.fetch || isAborted || isConnectionError(error);
  return isOwn ? "network_error" : "unexpected";
}

function withoutResponse(origin: string, code: RequestErrorCode, cause: unknown): RequestError {
  const fault = code === "unexpected" && cause instanceof Error ? `: ${cause.message}` : "";
  return new RequestError(code, `No response from ${origin}${fault}`, { cause });
}

async function fetchWhole(
  fetch: Fetch,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
  { kind, read }: JsonRequest,
): Promise<Omit<JsonResponse, "mask">> {
  const response = await followSafely(fetch, url, init);
  if (response.type === "opaqueredirect" || (init.redirect === "manual" && isRedirect(response))) {
    leaveBody(response);
    const message = `${new URL(url).origin} redirects, which is not followed`;
    const httpStatus = response.status || undefined;
    throw new RequestError("unexpected_redirect", message, { httpStatus });
  }
  const { status, ok, headers } = response;
  // `Response.error()` has no status.
  if (status === 0) throw new TypeError("The response has no status");
  const limit = MAX_BYTES[(ok && kind) || "response"];
  const body =
    ok && read
      ? await read(response, init.signal)
      : parseJson(await readText(response, limit, init.signal));
  return { status, ok, headers, body };
}

/**
 * URLs whose last request failed. A browser may keep a failure in its HTTP cache for as long as the
 * server says (ten minutes for a 500 from Synapse's `auth_metadata`), so the next request bypasses
 * the cache.
 */
const failedUrls = new Set<string>();
const MAX_FAILED_URLS = 64;

function rememberFailure(url: string, hasFailed: boolean): void {
  failedUrls.delete(url);
  if (!hasFailed) return;
  if (failedUrls.size >= MAX_FAILED_URLS) failedUrls.clear();
  failedUrls.add(url);
}

export function unexpectedResponse(
  url: string,
  response: Omit<JsonResponse, "mask">,
): RequestError {
  const { status, ok, headers, body } = response;
  const origin = new URL(url).origin;
  const code = codeOfResponse(response);
  if (ok && code === "unexpected_status") {
    return new RequestError("response_not_json", `${origin} responded without JSON`);
  }
  return new RequestError(code, `${origin} responded with HTTP ${status}`, {
    httpStatus: status,
    retryAfterMs: retryAfterMs(headers, body),
    reason: reasonIn(body),
  });
}
