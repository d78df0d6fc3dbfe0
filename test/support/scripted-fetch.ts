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

export type Answer = (request: ScriptedRequest) => Response | Promise<Response>;

/**
 * Servers in place of the network: a `fetch` made from a table of routes, with a log of what was
 * asked. It heeds abort signals and follows redirects as a browser's does.
 */
export class ScriptedFetch {
  /** By method and address, as `GET https://host/path`; any other request finds no host. */
  readonly routes: Record<string, Answer>;
  readonly requests: ScriptedRequest[] = [];

  constructor(routes: Record<string, Answer> = {}) {
    this.routes = routes;
  }

  /** Method and address of each request, in the order in which they were sent. */
  get log(): readonly string[] {
    return this.requests.map(({ method, url }) => `${method} ${url}`);
  }

  /** The requests to one address. */
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
    const answer = this.routes[`${method} ${url}`] ?? networkFailure;
    const response = await Promise.race([aborted, (async () => answer(request))()]);
    const location = response.headers.get("Location");
    if (!location) return response;
    // A page never sees where a redirect leads that it did not want followed.
    if (redirect === "manual") return opaqueRedirect();
    if (redirect === "error") return networkFailure();
    const keepsMethod = response.status === 307 || response.status === 308;
    return this.fetch(location, keepsMethod ? init : { ...init, method: "GET", body: null });
  };
}

export const json =
  (body: unknown, init: ResponseInit | number = {}): Answer =>
  () =>
    Response.json(body, typeof init === "number" ? { status: init } : init);

export const text =
  (body: string, init?: ResponseInit): Answer =>
  () =>
    new Response(body, init);

/** What a web server answers that knows nothing of the API behind it. */
export const html = (status = 200): Answer =>
  text("<!doctype html><title>Welcome</title>", {
    status,
    headers: { "Content-Type": "text/html" },
  });

/** The connection broke off, but the browser took what it had for the whole. */
export const truncatedJson = (body: unknown): Answer =>
  text(JSON.stringify(body).slice(0, -1), { headers: { "Content-Type": "application/json" } });

/** Offline, an unknown host, or an answer without CORS headers: a page cannot tell which. */
export const networkFailure = (): Promise<never> =>
  Promise.reject(new TypeError("Failed to fetch"));

/** Headers never come. */
export const never: Answer = () => new Promise<never>(() => undefined);

export const redirectTo =
  (location: string, status = 302): Answer =>
  () =>
    new Response(null, { status, headers: { Location: location } });

/** A body of that many bytes, in pieces. */
export const hugeBody =
  (bytes: number): Answer =>
  () =>
    new Response(byPieces(bytes).stream);

/** A body with no end; how much of it was taken, and whether the reader said that it had enough. */
export function endlessBody(): Pick<Pieces, "taken" | "cancelled"> & { readonly answer: Answer } {
  const { stream, ...told } = byPieces(Infinity);
  return { answer: () => new Response(stream), ...told };
}

/** Headers and the beginning of a body that stops there. */
export const stalledBody: Answer = () =>
  new Response(
    new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"a"')) }),
  );

/** One answer after the other; the last one stays. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let next = 0;
  return (request) => {
    const answer = answers[Math.min(next++, answers.length - 1)] ?? networkFailure;
    return answer(request);
  };
}

/** An answer that waits until the test lets it go, and tells when it was asked for. */
export function held(answer: Answer): {
  readonly answer: Answer;
  readonly asked: Promise<void>;
  readonly release: () => void;
} {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let tell!: () => void;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  return {
    asked,
    release,
    answer: async (request) => {
      tell();
      await released;
      return answer(request);
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
