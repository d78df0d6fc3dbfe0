import type { TestRequest } from "./options.js";

export type Json = Readonly<Record<string, unknown>>;

export interface Call extends TestRequest {
  readonly query: URLSearchParams;
  /** The values of the route's `:…` segments, in order. */
  readonly params: readonly string[];
  readonly bytes: () => Promise<ArrayBuffer>;
}

/** Returns or resolves to a response, or to the body of a successful one. Default: `{}`. */
export type Route = (call: Call) => unknown;

/** By method and path, such as `DELETE client/v3/devices/:id`. */
export type Routes = Readonly<Record<string, Route>>;

/**
 * Pages of any origin may call a homeserver and its provider. The list of headers is fixed, so that a
 * client that sends another header fails here, as with a real server.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#web-browser-clients
 */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization, Date",
  // Synapse's list: a page on another origin cannot read `Retry-After`.
  "Access-Control-Expose-Headers": "Synapse-Trace-Id, Server",
};

export const RESPONSE_HEADERS = { ...CORS, "Cache-Control": "no-cache, no-store, must-revalidate" };

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers: { ...RESPONSE_HEADERS, ...headers } });

export const redirectResponse = (location: string): Response =>
  new Response(null, { status: 302, headers: { ...RESPONSE_HEADERS, Location: location } });

export const preflight = (): Response => new Response(null, { status: 204, headers: CORS });

export class ServerRefusal extends Error {
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
export function refuse(status: number, errcode: string, error: string, more?: Json): ServerRefusal {
  return new ServerRefusal(status, { errcode, error, ...more });
}

export const unrecognized = (status: 404 | 405 = 404): ServerRefusal =>
  refuse(status, "M_UNRECOGNIZED", "Unrecognized request");

export const notFound = (error: string): ServerRefusal => refuse(404, "M_NOT_FOUND", error);

export const forbidden = (error: string): ServerRefusal => refuse(403, "M_FORBIDDEN", error);

/** Synapse's response to some requests that it does not expect. */
export const internalError = (): ServerRefusal => refuse(500, "M_UNKNOWN", "Internal server error");

export const rateLimited = (retryAfterMs: number): ServerRefusal =>
  refuse(429, "M_LIMIT_EXCEEDED", "Too Many Requests", { retry_after_ms: retryAfterMs });

/** The response of the matching route. @throws {ServerRefusal} `M_UNRECOGNIZED` */
export async function dispatch(
  routes: Routes,
  request: Omit<Call, "query" | "params">,
  path: string,
): Promise<Response> {
  const [pathname = ""] = path.split(/[?#]/);
  const { searchParams: query } = new URL(request.url);
  const method = request.method === "HEAD" ? "GET" : request.method;
  let status: 404 | 405 = 404;
  for (const [key, route] of Object.entries(routes)) {
    const [ofRoute, pattern = ""] = key.split(" ");
    const source = pattern.replaceAll(".", "\\.").replaceAll(/:\w+/g, "([^/]*)");
    const match = new RegExp(`^${source}$`).exec(pathname);
    if (!match) continue;
    status = 405;
    if (ofRoute !== method) continue;
    const params = match.slice(1).map(decode);
    const result = await route({ ...request, method, params, query });
    return result instanceof Response ? result : json(result ?? {});
  }
  throw unrecognized(status);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refuse(400, "M_INVALID_PARAM", "The path has malformed percent-encoding");
  }
}

/** Has only its own members, because any name can be that of an account: also `constructor`. */
export const record = <T>(from: Readonly<Record<string, T>> = {}): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, from);

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Json => (isJson(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const MEMBER_KINDS = {
  text: (value: unknown) => typeof value === "string",
  texts: (value: unknown): boolean => Array.isArray(value) && value.every(MEMBER_KINDS.text),
  number: Number.isInteger,
  flag: (value: unknown) => typeof value === "boolean",
};

type MemberKind = keyof typeof MEMBER_KINDS;

/** The types of a body's members. A member with a question mark is optional. */
type Members = Readonly<Record<string, MemberKind | `${MemberKind}?`>>;

/** Reads the body of a request, whose content type Matrix servers ignore. */
export function readJson(
  { method, body }: Pick<TestRequest, "method" | "body">,
  members: Members = {},
  kindError?: string,
): Json {
  if (body === "" && method === "DELETE") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw refuse(400, "M_NOT_JSON", "Content not JSON");
  }
  if (!isJson(parsed)) throw refuse(400, "M_BAD_JSON", "Content is not an object");
  assertMembers(parsed, members, kindError);
  return parsed;
}

/**
 * Validates a body before anything else, as Synapse does.
 *
 * @param kindError The code for a member of another type, which differs between endpoints.
 */
export function assertMembers(body: Json, members: Members, kindError = "M_BAD_JSON"): void {
  for (const [name, wanted] of Object.entries(members)) {
    if (body[name] === undefined) {
      if (wanted.endsWith("?")) continue;
      throw refuse(400, "M_MISSING_PARAM", `${name} is missing`);
    }
    const kind = wanted.replace("?", "") as MemberKind;
    if (!MEMBER_KINDS[kind](body[name])) throw refuse(400, kindError, `${name} is not ${kind}`);
  }
}

export function requiredParameter({ query }: Call, name: string): string {
  const value = query.get(name);
  if (value !== null) return value;
  throw refuse(400, "M_MISSING_PARAM", `Missing string query parameter ${name}`);
}
