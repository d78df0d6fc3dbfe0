import { codeOfStatus, RequestError, type RequestErrorCode } from "./errors.js";
import { parseJson, reasonIn, retryAfterMs } from "./json.js";
import { redirectTarget } from "./url.js";
import { MAX_TIMER_MS } from "./wait.js";

/**
 * The last argument of calls that go to the network. The methods of a session or a refresher accept
 * only `signal`. Their constructors accept the rest.
 */
export interface RequestOptions {
  /** Aborts the call, which then rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time limit for each request, including its body, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number | undefined;
}

/** Reading its body can neither wait nor fail. */
interface WholeResponse<Body = string> extends Pick<Response, "status" | "ok" | "headers"> {
  readonly body: Body;
}

/** The body is undefined if it is not JSON. */
export type JsonResponse = WholeResponse<unknown>;

/** Far more than metadata, key sets and token responses need. */
const MAX_BODY_BYTES = 1 << 20;

/**
 * `fetch` with time and size limits for the whole response, and without cookies and referrer.
 *
 * @throws {RequestError} `network_error`, `timeout`, `aborted`, `response_too_large`,
 *   `unexpected_redirect` (with `redirect: "manual"`).
 */
export async function boundedFetch(
  url: string,
  init: RequestInit,
  { fetch = globalThis.fetch, ...limits }: RequestOptions = {},
): Promise<WholeResponse> {
  const { origin } = new URL(url);
  const send = (signal: AbortSignal) =>
    fetchWhole(fetch, url, { credentials: "omit", referrerPolicy: "no-referrer", ...init, signal });
  try {
    return await withTimeout(send, origin, limits);
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    throw new RequestError("network_error", `No response from ${origin}`, { cause });
  }
}

/** Works even if the call ignores its signal. @throws {RequestError} `timeout`, `aborted` */
export async function withTimeout<T>(
  call: (signal: AbortSignal) => Promise<T>,
  peer: string,
  { signal, timeoutMs = 10_000 }: RequestOptions = {},
): Promise<T> {
  const failure = (code: RequestErrorCode, cause?: unknown) =>
    new RequestError(code, `No response from ${peer} (${code})`, { cause });
  if (signal?.aborted) throw failure("aborted", signal.reason);
  const controller = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
  });
  const onAbort = () => controller.abort(failure("aborted", signal?.reason));
  signal?.addEventListener("abort", onAbort);
  const onTimeout = () => controller.abort(failure("timeout"));
  const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    return await Promise.race([stopped, call(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

type Fetch = typeof globalThis.fetch;

async function fetchWhole(fetch: Fetch, url: string, init: RequestInit): Promise<WholeResponse> {
  const response = await followSafely(fetch, url, init);
  if (response.type === "opaqueredirect" || (init.redirect === "manual" && isRedirect(response))) {
    const message = `${new URL(url).origin} redirects, which is not followed`;
    const httpStatus = response.status || undefined;
    throw new RequestError("unexpected_redirect", message, { httpStatus });
  }
  const { status, ok, headers } = response;
  // `Response.error()` has no status.
  if (status === 0) throw new TypeError("The response has no status");
  return { status, ok, headers, body: await readBody(response) };
}

/** Reads the body with a size limit, which `response.text()` does not have. */
async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // Chromium cancels some requests when a stream has read the body to its end, unless the body has
  // a copy. No bug is known: https://fetch.spec.whatwg.org/#concept-body-clone. Remove the copy if
  // Chromium's network log shows no cancelled requests without it.
  const copy = response.clone();
  const reader = response.body?.getReader();
  for (let bytes = 0; reader;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    bytes += value.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      Promise.all([reader.cancel(), copy.body?.cancel()]).catch(() => undefined);
      const message = `The response is larger than ${MAX_BODY_BYTES} bytes`;
      throw new RequestError("response_too_large", message);
    }
  }
  return text + decoder.decode();
}

/** The limit of browsers: https://fetch.spec.whatwg.org/#http-redirect-fetch */
const MAX_REDIRECTS = 20;

/** On pages, browsers block redirects from HTTPS to HTTP. Elsewhere, each redirect is checked. */
async function followSafely(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  if (init.redirect !== "follow" || "location" in globalThis) return fetch(url, init);
  for (let hops = 0, from = url; ; hops += 1) {
    const response = await fetch(from, { ...init, redirect: "manual" });
    const target = isRedirect(response) ? response.headers.get("Location") : null;
    if (target === null) return response;
    const to = redirectTarget(target, from);
    if (hops === MAX_REDIRECTS || to === undefined) {
      throw new RequestError("unexpected_redirect", `${new URL(url).origin} redirects elsewhere`);
    }
    from = to;
  }
}

const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;

interface JsonRequest extends Pick<RequestInit, "method" | "redirect"> {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** Asks the server even if the HTTP cache has a response. */
  readonly bypassCache?: boolean | undefined;
}

/**
 * URLs whose last request failed. A browser may keep a failure in its HTTP cache for as long as the
 * server says (ten minutes for a 500 from Synapse's `auth_metadata`), so the next request bypasses
 * the cache.
 */
const failedUrls = new Set<string>();
const MAX_FAILED_URLS = 64;

/** Accepts a response of any status. @throws {RequestError} as {@link boundedFetch} does. */
export async function requestJson(
  url: string,
  request: JsonRequest = {},
  options?: RequestOptions,
): Promise<JsonResponse> {
  const { method = "GET", headers, body, redirect = "follow" } = request;
  const { bypassCache = failedUrls.has(url) } = request;
  const init: RequestInit = {
    method,
    headers: {
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    cache: bypassCache ? "reload" : "default",
    redirect,
    body: JSON.stringify(body),
  };
  try {
    const response = await boundedFetch(url, init, options);
    const parsed = parseJson(response.body);
    // A 404 is a valid response, too.
    rememberFailure(url, response.status !== 404 && !(response.ok && parsed !== undefined));
    return { ...response, body: parsed };
  } catch (error) {
    // An abort by the caller doesn't indicate a problem of the server.
    if (!(error instanceof RequestError && error.code === "aborted")) rememberFailure(url, true);
    throw error;
  }
}

function rememberFailure(url: string, hasFailed: boolean): void {
  failedUrls.delete(url);
  if (!hasFailed) return;
  if (failedUrls.size >= MAX_FAILED_URLS) failedUrls.clear();
  failedUrls.add(url);
}

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

export const isHeaderToken = (value: unknown): value is string =>
  typeof value === "string" && /^[!-~]+$/.test(value);

/**
 * @throws {TypeError} if the token cannot be sent in a header. The error of `fetch` would contain
 *   the token.
 */
export function bearerHeader(token: string): string {
  if (!isHeaderToken(token)) throw new TypeError("The access token is not valid in a header");
  return `Bearer ${token}`;
}
