import {
  LATE_MS,
  serialize,
  type Handler,
  type Navigation,
  type Network,
  type Reply,
} from "./network.js";

const realSetTimeout = globalThis.setTimeout;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 20;

/** Servers behind a `fetch` that behaves as a browser's does, without any connection. */
export class PageNetwork implements Network {
  readonly port = 8080;
  readonly otherPort = 8081;
  /** Called if only stalled requests are left, so that the test can reach their time limits immediately. */
  onStall: () => void = () => undefined;
  /** The handlers by origin. */
  readonly #hosts = new Map<string, Handler>();
  /** The signals of requests in progress, and of stalled ones. */
  readonly #underWay = new Set<AbortSignal>();
  readonly #stalled = new Set<AbortSignal>();

  serve(host: string, handler: Handler, port = this.port): string {
    const { origin } = new URL(`http://${host}:${port}`);
    this.#hosts.set(origin, handler);
    return origin;
  }

  async navigate(url: string): Promise<Navigation> {
    const { status, headers, body } = serialize(
      await this.#replyTo(new Request(url, { referrerPolicy: "no-referrer" })),
    );
    return { status, location: headers["location"], body: String(body) };
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    this.#underWay.add(request.signal);
    try {
      return await this.#send(request);
    } finally {
      this.#underWay.delete(request.signal);
      this.#noticeStall();
    }
  };

  async #send(request: Request, redirects = 0): Promise<Response> {
    const { signal, redirect } = request;
    const copy = request.clone();
    const reply = await orAborted(this.#replyTo(request), signal);
    const { status, headers, body } = serialize(reply);
    if (reply.fault === "never") {
      this.#stall(signal);
      return orAborted(new Promise<never>(() => undefined), signal);
    }
    if (reply.fault === "cut" || reply.fault === "cut in headers") throw networkError();
    if (reply.fault === "late") await new Promise((done) => realSetTimeout(done, LATE_MS));
    // If a page does not follow redirects, the browser hides their location.
    const location = REDIRECTS.includes(status) ? headers["location"] : undefined;
    if (location !== undefined && redirect === "manual") return opaqueRedirect();
    if (location !== undefined && redirect === "error") throw networkError();
    if (headers["access-control-allow-origin"] === undefined) throw networkError();
    if (location !== undefined) {
      if (redirects === MAX_REDIRECTS) throw networkError();
      return this.#send(redirected(copy, location, status), redirects + 1);
    }
    const content = reply.fault ? this.#spoiled(body, reply.fault, signal) : body;
    const init = { status, headers: readable(headers) };
    const response = new Response(status === 204 ? null : content, init);
    return Object.defineProperty(response, "url", { value: request.url });
  }

  async #replyTo(request: Request): Promise<Reply> {
    const { method, url, credentials, referrerPolicy } = request;
    const { origin, pathname, searchParams } = new URL(url);
    const handler = this.#hosts.get(origin);
    if (!handler) throw networkError();
    const headers = {
      ...Object.fromEntries(request.headers),
      ...(credentials === "include" && { cookie: "the browser's" }),
      ...(referrerPolicy !== "no-referrer" && { referer: location.href }),
    };
    const body = await request.text();
    return handler({ method, path: pathname, query: searchParams, headers, body });
  }

  /** The beginning of a body, and then the fault. */
  #spoiled(
    body: string | Uint8Array,
    fault: NonNullable<Reply["fault"]>,
    signal: AbortSignal,
  ): ReadableStream<Uint8Array> | string {
    if (fault === "late") return String(body);
    const start = fault === "endless" ? " ".repeat(1 << 10) : String(body).slice(0, -1);
    return new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode(start));
        signal.addEventListener("abort", () => stream.error(signal.reason));
      },
      pull: (stream) => {
        if (fault === "cut in body") stream.error(networkError());
        else this.#stall(signal);
      },
    });
  }

  #stall(signal: AbortSignal): void {
    this.#underWay.delete(signal);
    this.#stalled.add(signal);
    this.#noticeStall();
  }

  /** Waits some tasks, because the page may still be reading a body, which takes several tasks in Firefox. */
  #noticeStall(tasksLeft = 20): void {
    setTimeout(() => {
      const waits = [...this.#stalled].some(({ aborted }) => !aborted);
      if (!waits || this.#underWay.size > 0) return;
      if (tasksLeft > 0) this.#noticeStall(tasksLeft - 1);
      else this.onStall();
    });
  }
}

/** The headers that a page on another origin may read. */
function readable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const exposed = ["content-type", "cache-control", headers["access-control-expose-headers"]];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => exposed.includes(name)));
}

const networkError = (): TypeError => new TypeError("Failed to fetch");

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
  });
  return Promise.race([promise, aborted]);
}

/** The request that follows a redirect, without the token if the origin changes. */
function redirected(request: Request, location: string, status: number): Request {
  const url = new URL(location, request.url);
  const { credentials, referrerPolicy, signal } = request;
  const headers = new Headers(request.headers);
  if (url.origin !== new URL(request.url).origin) headers.delete("authorization");
  const init = { credentials, referrerPolicy, signal, headers };
  if (status === 307 || status === 308) return new Request(url, new Request(request, init));
  headers.delete("content-type");
  return new Request(url, { ...init, method: "GET" });
}

function opaqueRedirect(): Response {
  return Object.defineProperties(new Response(), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
    ok: { value: false },
  });
}
