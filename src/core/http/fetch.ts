import type { RequestErrorCode } from "./error-codes.js";
import { RequestError } from "./errors.js";
import { parseJson, toJson } from "./json.js";
import { MAX_TIMER_MS } from "./wait.js";

/**
 * The last argument of calls that go to the network. The methods of a session or a refresher accept
 * only `signal`. Their constructors accept the rest.
 */
export interface RequestOptions {
  /** Aborts the call, which then rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Used instead of `globalThis.fetch`. A rejection means that there was no response
   * (`network_error`) if the error comes from the platform's `fetch`, or is named `AbortError`,
   * `ConnectionError`, `FetchError`, `NetworkError`, or `TimeoutError`. Any other error is a fault
   * of this function (`unexpected`).
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Time limit for each request, including its preflight and its body, in milliseconds. Default:
   * 10000 for a document; 30000 for a request with a token or a body, and for a session's requests.
   */
  readonly timeoutMs?: number | undefined;
}

/** A response whose body has been read. */
export interface JsonResponse extends Pick<Response, "status" | "ok" | "headers"> {
  /**
   * Undefined if it is not JSON. If the status is an error, the request's secrets are masked. With
   * `read` and a success status, the value that `read` returns.
   */
  readonly body: unknown;
  /**
   * Masks the request's secrets, for an error about a response with a success status.
   *
   * @throws {RequestError} `network_error`: the code for this can't be loaded.
   */
  readonly mask: <T>(value: T) => Promise<T>;
}

/** The largest body of each kind of response, in bytes after decompression. */
export const MAX_BYTES = {
  /** Far larger than any metadata, token response, error, or list of an account's addresses. */
  response: 1 << 20,
  /** Lists without pages: an account may have thousands of devices, and their keys. */
  list: 1 << 22,
} as const;

/** For documents. */
export const TIMEOUT_MS = 10_000;
/** For requests that a slow server may have carried out when they are given up. */
export const LONG_TIMEOUT_MS = 30_000;

/** Works even if the call ignores its signal. @throws {RequestError} `timeout`, `aborted` */
export async function withTimeout<T>(
  call: (signal: AbortSignal) => Promise<T>,
  peer: string,
  { signal, timeoutMs = TIMEOUT_MS }: RequestOptions = {},
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

/**
 * Reads a body with a size limit, which `response.text()` does not have. It cancels the rest of a
 * larger body, so that the rest is neither decompressed nor kept for a copy of the response.
 *
 * Meanwhile a copy of the body exists, because Chromium cancels some requests when a stream has
 * read a body without a copy to its end. No bug is known:
 * https://fetch.spec.whatwg.org/#concept-body-clone. Remove the copy if Chromium's network log
 * shows no cancelled requests without it.
 *
 * @throws {RequestError} `response_too_large`
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const copy = response.clone();
  const reader = response.body?.getReader();
  // This is not awaited, because the cancellation of a copy completes only with that of the
  // original.
  const cancel = (): void => {
    for (const each of [reader, copy.body]) each?.cancel().catch(() => undefined);
  };
  signal.addEventListener("abort", cancel);
  try {
    for (let bytes = 0; reader;) {
      const { done, value } = await reader.read();
      if (done) break;
      onChunk(value);
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        cancel();
        throw tooLarge(maxBytes);
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

export const tooLarge = (maxBytes: number): RequestError =>
  new RequestError("response_too_large", `The response is larger than ${maxBytes} bytes`);

/** @throws as {@link readBody} does. */
export async function readText(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  await readBody(response, maxBytes, signal, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
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

export interface JsonRequest {
  /** Default: `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A form, a file, or a value that is sent as JSON. */
  readonly body?: unknown;
  /** Reads the body of a response with a success status. Default: parses JSON. */
  readonly read?: ((response: Response, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** Default: `response`. */
  readonly kind?: keyof typeof MAX_BYTES | undefined;
  /** Default: redirects are followed, unless the request has a token or a body. */
  readonly redirect?: "follow" | "manual" | undefined;
  /** Sends the request even if the HTTP cache has a response. */
  readonly bypassCache?: boolean | undefined;
  /** Whether the request continues when the user leaves the page. */
  readonly keepalive?: boolean | undefined;
}

/**
 * Longer requests end with the page. Browsers reject requests that continue after it if all of them together
 * have more than 64 KiB, so a huge token must not prevent another account's sign-out.
 */
const MAX_KEPT_LENGTH = 1 << 13;

/**
 * The `RequestInit` for a request: without cookies and without a referrer. A request with a token
 * or a body bypasses the HTTP cache, which might contain another user's response. Its redirects are
 * not followed, because some repeat the body on another origin.
 */
export function initOf(
  request: JsonRequest,
): RequestInit & { readonly redirect: "follow" | "manual" } {
  const { method = "GET", headers, body, redirect = "follow", keepalive, bypassCache } = request;
  const isRaw = body instanceof URLSearchParams || body instanceof Blob;
  const json = !isRaw && {
    Accept: "application/json",
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const isPublic = hasNoSecret(request);
  const sent = isRaw ? body : body === undefined ? null : toJson(body);
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- No file is sent this way.
  const isShort = String(sent).length <= MAX_KEPT_LENGTH;
  return {
    headers: { ...json, ...headers },
    body: sent,
    method,
    redirect: isPublic ? redirect : "manual",
    ...acceptedMembers<Pick<RequestInit, "credentials" | "referrerPolicy" | "cache" | "keepalive">>(
      {
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: !isPublic ? "no-store" : bypassCache ? "reload" : "default",
        ...(keepalive && isShort && { keepalive }),
      },
    ),
  };
}

/**
 * The members that requests of this runtime can have. Browsers accept all of them. Cloudflare Workers have no
 * cookies, no referrer, and no HTTP cache of a user, and throw for some of them, depending on their compatibility date.
 *
 * @see https://developers.cloudflare.com/workers/configuration/compatibility-flags/
 */
export function acceptedMembers<Members extends RequestInit>(members: Members): Partial<Members> {
  if (isAccepted(members)) return members;
  const entries: [string, unknown][] = Object.entries(members);
  const accepted = entries.filter((entry) => isAccepted(Object.fromEntries([entry])));
  return Object.fromEntries(accepted) as Partial<Members>;
}

function isAccepted(members: RequestInit): boolean {
  try {
    return new Request("https://server.invalid/", members) instanceof Request;
  } catch {
    return false;
  }
}

/** With `redirect: "manual"`. Browsers show nothing of it, and other runtimes its status. */
export const isRedirect = ({ type, status }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400);

/**
 * Outside of pages, a redirect has a body. Its connection would stay open and keep a program
 * running.
 */
export const leaveBody = ({ body }: Response): void => void body?.cancel().catch(() => undefined);

/** Whether it has neither a token nor a body. */
export const hasNoSecret = ({ method = "GET", headers }: JsonRequest): boolean =>
  method === "GET" && !new Headers(headers).has("Authorization");
