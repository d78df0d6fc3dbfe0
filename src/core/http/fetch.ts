import { codeOfStatus, RequestError, type RequestErrorCode } from "./errors.js";
import { parseJson, reasonIn, retryAfterMs } from "./json.js";
import { causeWithout, type Mask, maskOf, secretsIn } from "./secrets.js";
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
export interface JsonResponse extends Pick<Response, "status" | "ok" | "headers"> {
  /** Undefined if it is not JSON. If the status is an error, the request's secrets are masked. */
  readonly body: unknown;
  /** Masks the request's secrets, for an error about a response with a good status. */
  readonly mask: Mask;
}

/** The largest body of each kind of response, in bytes after decompression. */
const MAX_BYTES = {
  /** Far more than metadata, tokens, errors, and an account's addresses need. */
  response: 1 << 20,
  /** Lists without pages: an account may have thousands of devices, and their keys. */
  list: 1 << 22,
} as const;

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

async function fetchWhole(
  fetch: Fetch,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
  maxBytes: number,
): Promise<Pick<Response, "status" | "ok" | "headers"> & { readonly text: string }> {
  const response = await followSafely(fetch, url, init);
  if (response.type === "opaqueredirect" || (init.redirect === "manual" && isRedirect(response))) {
    const message = `${new URL(url).origin} redirects, which is not followed`;
    const httpStatus = response.status || undefined;
    throw new RequestError("unexpected_redirect", message, { httpStatus });
  }
  const { status, ok, headers } = response;
  // `Response.error()` has no status.
  if (status === 0) throw new TypeError("The response has no status");
  // Chromium cancels some requests when a stream has read the body to its end, unless the body has
  // a copy. No bug is known: https://fetch.spec.whatwg.org/#concept-body-clone. Remove the copy if
  // Chromium's network log shows no cancelled requests without it.
  const copy = response.clone();
  try {
    const text = await readText(response, ok ? maxBytes : MAX_BYTES.response, init.signal);
    return { status, ok, headers, text };
  } catch (error) {
    copy.body?.cancel().catch(() => undefined);
    throw error;
  }
}

/**
 * Reads a body with a size limit, which `response.text()` does not have. What is not read is
 * cancelled, so it is neither decompressed nor kept for a copy of the response.
 *
 * @throws {RequestError} `response_too_large`
 */
async function readText(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = body?.getReader();
  // Not awaited: a copy's cancellation ends with that of the original.
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (let bytes = 0; reader;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        cancel();
        const message = `The response is larger than ${maxBytes} bytes`;
        throw new RequestError("response_too_large", message);
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  return text + decoder.decode();
}

/**
 * The body of an error response that the caller passes on, so it stays readable. Undefined if it is
 * not JSON, or exceeds the limits of our own requests.
 */
export async function peekJson(response: Response, options?: RequestOptions): Promise<unknown> {
  const copy = response.clone();
  const read = (signal: AbortSignal): Promise<string> => readText(copy, MAX_BYTES.response, signal);
  try {
    return parseJson(await withTimeout(read, "the server", options));
  } catch {
    return undefined;
  }
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

interface JsonRequest {
  /** Default: `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A form, or a value that is sent as JSON. */
  readonly body?: unknown;
  /** Default: `response`. */
  readonly kind?: keyof typeof MAX_BYTES | undefined;
  /** Default: redirects are followed, unless the request has a token or a body. */
  readonly redirect?: "follow" | "manual" | undefined;
  /** Asks the server even if the HTTP cache has a response. */
  readonly bypassCache?: boolean | undefined;
  /** Whether the request continues when the user leaves the page. */
  readonly keepalive?: boolean | undefined;
}

/**
 * URLs whose last request failed. A browser may keep a failure in its HTTP cache for as long as the
 * server says (ten minutes for a 500 from Synapse's `auth_metadata`), so the next request bypasses
 * the cache.
 */
const failedUrls = new Set<string>();
const MAX_FAILED_URLS = 64;

/**
 * Sends one of the library's requests: all of them use it. It has time and size limits for the whole
 * response, sends no cookies and no referrer, and accepts a response of any status.
 *
 * A request with a token or a body is neither answered from the HTTP cache, which may have another
 * user's response, nor stored there, and its redirects are not followed, because some repeat the
 * body on another origin. Its secrets are masked in errors.
 *
 * @throws {RequestError} `network_error`, `timeout`, `aborted`, `response_too_large`,
 *   `unexpected_redirect`.
 */
export async function requestJson(
  url: string,
  request: JsonRequest = {},
  { fetch = globalThis.fetch, ...limits }: RequestOptions = {},
): Promise<JsonResponse> {
  const { method = "GET", headers, body, keepalive } = request;
  const { kind = "response", redirect = "follow", bypassCache = failedUrls.has(url) } = request;
  const isForm = body instanceof URLSearchParams;
  const json = {
    Accept: "application/json",
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const sent = {
    headers: isForm ? { ...headers } : { ...json, ...headers },
    body: isForm ? body : ((JSON.stringify(body) as string | undefined) ?? null),
  };
  const isPublic = method === "GET" && !new Headers(sent.headers).has("Authorization");
  const init: RequestInit = {
    ...sent,
    method,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: !isPublic ? "no-store" : bypassCache ? "reload" : "default",
    redirect: isPublic ? redirect : "manual",
    ...(keepalive !== undefined && { keepalive }),
  };
  const mask: Mask = (value) => maskOf(secretsIn(sent))(value);
  const { origin } = new URL(url);
  const send = async (signal: AbortSignal): Promise<JsonResponse> => {
    const whole = await fetchWhole(fetch, url, { ...init, signal }, MAX_BYTES[kind]);
    const { text, ...response } = whole;
    const parsed = parseJson(text);
    return { ...response, body: response.ok || isPublic ? parsed : mask(parsed), mask };
  };
  try {
    const response = await withTimeout(send, origin, limits);
    // A 404 is a valid response, too.
    const hasFailed = response.status !== 404 && !(response.ok && response.body !== undefined);
    rememberFailure(url, isPublic && hasFailed);
    return response;
  } catch (cause) {
    const error =
      cause instanceof RequestError
        ? cause
        : new RequestError("network_error", `No response from ${origin}`, {
            cause: causeWithout(sent, cause),
          });
    // An abort by the caller doesn't indicate a problem of the server.
    rememberFailure(url, isPublic && error.code !== "aborted");
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
  { status, ok, headers, body }: Omit<JsonResponse, "mask">,
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
