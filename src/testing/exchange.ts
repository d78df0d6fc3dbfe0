export type Json = Readonly<Record<string, unknown>>;

/** A request as a server sees it. */
export interface TestRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  /** Whether the page has cancelled it: `signal.aborted`. Playwright does not tell. */
  readonly signal: AbortSignal;
}

/** A request with what its route needs of it. */
export interface Call extends TestRequest {
  readonly query: URLSearchParams;
  /** What the `:…` of the route stand for, in order. */
  readonly params: readonly string[];
}

export type Route = (call: Call) => Response | Promise<Response>;

/** By method and path, as `DELETE v3/devices/:id`. */
export type Routes = Readonly<Record<string, Route>>;

/** Pages of any origin may call a homeserver and its provider. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization, Date",
};

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { ...CORS, ...headers } });

export const preflight = (): Response => new Response(null, { status: 204, headers: CORS });

/** An error response, thrown by a route. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Json;

  constructor(status: number, body: Json) {
    super(typeof body["errcode"] === "string" ? body["errcode"] : `HTTP ${status}`);
    this.status = status;
    this.body = body;
  }

  get response(): Response {
    const { retry_after_ms: ms } = this.body;
    const headers = typeof ms === "number" && { "Retry-After": String(Math.ceil(ms / 1000)) };
    return json(this.body, this.status, headers || {});
  }
}

/** @see https://spec.matrix.org/latest/client-server-api/#standard-error-response */
export const refuse = (status: number, errcode: string, error: string, more?: Json): Refusal =>
  new Refusal(status, { errcode, error, ...more });

export const unrecognized = (): Refusal => refuse(404, "M_UNRECOGNIZED", "Unrecognized request");

/** The response of the route that fits. */
export async function dispatch(
  routes: Routes,
  request: TestRequest,
  path: string,
): Promise<Response> {
  const [pathname = "", query = ""] = path.split("?", 2);
  const steps = pathname.split("/");
  for (const [key, route] of Object.entries(routes)) {
    const [method, pattern = ""] = key.split(" ");
    const wanted = pattern.split("/");
    const fits =
      method === request.method &&
      wanted.length === steps.length &&
      wanted.every((step, nth) => step.startsWith(":") || step === steps[nth]);
    if (!fits) continue;
    const params = steps.filter((_, nth) => wanted[nth]?.startsWith(":")).map(decodeURIComponent);
    return route({ ...request, params, query: new URLSearchParams(query) });
  }
  throw unrecognized();
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of a body that is an object; else an empty one. */
export const objectOf = (value: unknown): Json => (isJson(value) ? value : {});

/** Text, or nothing. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** @throws {Refusal} `M_NOT_JSON`, `M_BAD_JSON` */
export function readJson(body: string): Json {
  if (body === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw refuse(400, "M_NOT_JSON", "Content not JSON");
  }
  if (!isJson(parsed)) throw refuse(400, "M_BAD_JSON", "Content is no object");
  return parsed;
}
