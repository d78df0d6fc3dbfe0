/** A request as a server would see it. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly cache: RequestCache;
  readonly redirect: RequestRedirect;
  readonly credentials: RequestCredentials;
  readonly referrerPolicy: ReferrerPolicy;
  readonly signal: AbortSignal;
}

export type Responder = (request: ScriptedRequest) => Response | Promise<Response>;

/**
 * Servers instead of the network: a `fetch` made from a table of routes, with a log of the requests.
 * It respects abort signals and follows redirects as a browser's does.
 */
export class ScriptedFetch {
  /** By method and URL, as `GET https://host/path`; any other request finds no host. */
  routes: Record<string, Responder>;
  readonly requests: ScriptedRequest[] = [];

  constructor(routes: Record<string, Responder> = {}) {
    this.routes = routes;
  }

  /** Method and URL of each request, in the order in which they were sent. */
  get log(): readonly string[] {
    return this.requests.map(({ method, url }) => `${method} ${url}`);
  }

  /** The requests to one URL. */
  to(url: string): readonly ScriptedRequest[] {
    return this.requests.filter((request) => request.url === url);
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url, headers, cache, redirect, credentials, referrerPolicy, signal } =
      new Request(input, init);
    const body = init?.body == null ? "" : String(init.body as string | URLSearchParams);
    const request: ScriptedRequest = {
      ...{ method, url, headers, body, cache, redirect, credentials, referrerPolicy, signal },
    };
    this.requests.push(request);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
    const respond = this.routes[`${method} ${url}`] ?? networkFailure;
    const response = await Promise.race([aborted, (async () => respond(request))()]);
    const location = response.headers.get("Location");
    if (!location) return response;
    // A page never sees where a redirect leads that it did not ask to follow.
    if (redirect === "manual") return opaqueRedirect();
    if (redirect === "error") return networkFailure();
    const keepsMethod = response.status === 307 || response.status === 308;
    return this.fetch(location, keepsMethod ? init : { ...init, method: "GET", body: null });
  };
}

export const json =
  (body: unknown, init: ResponseInit | number = {}): Responder =>
  () =>
    Response.json(body, typeof init === "number" ? { status: init } : init);

export const text =
  (body: string, init?: ResponseInit): Responder =>
  () =>
    new Response(body, init);

/** From a web server that does not know the API behind it. */
export const html = (status = 200): Responder =>
  text("<!doctype html><title>Welcome</title>", {
    status,
    headers: { "Content-Type": "text/html" },
  });

/** The connection broke off, but the browser took the beginning for the whole. */
export const truncatedJson = (body: unknown): Responder =>
  text(JSON.stringify(body).slice(0, -1), { headers: { "Content-Type": "application/json" } });

/** Offline, an unknown host, or a response without CORS headers: a page cannot tell which. */
export const networkFailure = (): Promise<never> =>
  Promise.reject(new TypeError("Failed to fetch"));

/** Never responds. */
export const never: Responder = () => new Promise<never>(() => undefined);

export const redirectTo =
  (location: string, status = 302): Responder =>
  () =>
    new Response(null, { status, headers: { Location: location } });

/** A body of that many bytes, in pieces. */
export const hugeBody =
  (bytes: number): Responder =>
  () =>
    new Response(byPieces(bytes).stream);

/** A body with no end; how much of it was read, and whether the reader cancelled it. */
export function endlessBody(): Pick<Pieces, "taken" | "cancelled"> & {
  readonly respond: Responder;
} {
  const { stream, ...progress } = byPieces(Infinity);
  return { respond: () => new Response(stream), ...progress };
}

/** Headers and the beginning of a body that stops there. */
export const stalledBody: Responder = () =>
  new Response(
    new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"a"')) }),
  );

/** One response after the other; the last one repeats. */
export function inSequence(...responders: readonly Responder[]): Responder {
  let next = 0;
  return (request) => {
    const respond = responders[Math.min(next++, responders.length - 1)] ?? networkFailure;
    return respond(request);
  };
}

/** A response that waits until the test releases it; `asked` resolves when it is requested. */
export function held(respond: Responder): {
  readonly respond: Responder;
  readonly asked: Promise<void>;
  readonly release: () => void;
} {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let notify!: () => void;
  const asked = new Promise<void>((resolve) => (notify = resolve));
  return {
    asked,
    release,
    respond: async (request) => {
      notify();
      await released;
      return respond(request);
    },
  };
}

interface Pieces {
  readonly stream: ReadableStream<Uint8Array>;
  readonly taken: () => number;
  readonly cancelled: () => boolean;
}

function byPieces(total: number): Pieces {
  const piece = new Uint8Array(1 << 16).fill(0x20);
  let taken = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (body) => {
      if (taken >= total) return body.close();
      taken += piece.byteLength;
      body.enqueue(piece);
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return { stream, taken: () => taken, cancelled: () => cancelled };
}

function opaqueRedirect(): Response {
  return Object.defineProperties(new Response(), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
    ok: { value: false },
  });
}
