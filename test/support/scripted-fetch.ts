/** A request as a server sees it. */
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
 * Replaces the network with a `fetch` that uses a table of routes and logs the requests. It supports abort
 * signals, and follows redirects as browsers do.
 */
export class ScriptedFetch {
  /** Responders by method and URL, such as `GET https://host/path`. Other requests fail. */
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
    // A page that does not follow a redirect never sees its target.
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

/** The response of a web server without the API. */
export const html = (status = 200): Responder =>
  text("<!doctype html><title>Welcome</title>", {
    status,
    headers: { "Content-Type": "text/html" },
  });

/** The connection ended early, but the browser treats the partial body as complete. */
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

/** Headers and the start of a body that never ends. */
export const stalledBody: Responder = () =>
  new Response(
    new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"a"')) }),
  );

/** Sends one response after the other, and repeats the last one. */
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

function opaqueRedirect(): Response {
  return Object.defineProperties(new Response(), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
    ok: { value: false },
  });
}
