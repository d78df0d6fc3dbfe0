/** `http` of [MSW](https://mswjs.io). */
export interface MswHttp<Handler> {
  all(
    path: string,
    resolver: (info: { readonly request: Request }) => Promise<Response | undefined>,
  ): Handler;
}

/** A `Route` of [Playwright](https://playwright.dev). */
export interface PlaywrightRoute {
  request(): {
    url(): string;
    method(): string;
    headers(): Readonly<Record<string, string>>;
    postDataBuffer(): Uint8Array | null;
  };
  fulfill(response: {
    readonly status: number;
    readonly headers: Record<string, string>;
    /** A Node.js `Buffer`, whose type only `@types/node` has. */
    readonly body: never;
  }): Promise<void>;
  abort(): Promise<void>;
}

declare const Buffer: { from(bytes: ArrayBuffer): never };

export async function fulfillRoute(
  route: PlaywrightRoute,
  respond: (request: Request) => Promise<Response>,
): Promise<void> {
  const asked = route.request();
  const body = asked.postDataBuffer();
  const response = await respond(
    new Request(asked.url(), {
      method: asked.method(),
      headers: asked.headers(),
      ...(body && { body: new Uint8Array(body) }),
    }),
  );
  if (response.type === "error") return route.abort();
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}

/** Handles redirects, errors and cancelling as `fetch` does. */
export async function respondAsFetch(
  request: Request,
  respond: (request: Request) => Promise<Response>,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const { signal, redirect, method } = request;
  signal.throwIfAborted();
  const body = method === "GET" || method === "HEAD" ? null : await request.clone().arrayBuffer();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
  const response = await Promise.race([aborted, respond(request)]);
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
  const location = isRedirect ? response.headers.get("Location") : null;
  if (response.type === "error" || (location !== null && redirect === "error")) {
    throw new TypeError("Failed to fetch");
  }
  if (location === null) return response;
  if (redirect === "manual") return opaqueRedirect();
  const keepsMethod = response.status === 307 || response.status === 308;
  const target = new URL(location, request.url);
  return fetch(
    target,
    keepsMethod ? { method, headers: request.headers, body, signal } : { signal },
  );
}

/** A redirect without its target: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque-redirect */
const opaqueRedirect = (): Response =>
  Object.defineProperties(new Response(), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
    ok: { value: false },
  });
