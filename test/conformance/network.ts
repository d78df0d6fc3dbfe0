// The interface of both tiers' networks, over HTTP or in a page, with as many hosts as the tests need.

/** How a connection fails. */
export type Fault =
  "never" | "cut" | "cut in headers" | "cut in body" | "stalled" | "endless" | "late";

/** A server's response. */
export interface Reply {
  /** Default: 200. */
  readonly status?: number;
  /** Merged over the usual headers. An empty value removes a header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
  readonly fault?: Fault;
}

/** A request, as a server reads it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export type Handler = (request: ReceivedRequest) => Reply | Promise<Reply>;

export interface Network {
  readonly port: number;
  /** A second port, which every host has too. A host responds there only if it is served there. */
  readonly otherPort: number;
  /** The origin under which a host is served. Default: at `port`. */
  serve(host: string, handler: Handler, port?: number): string;
  /** Follows a URL as a browser would. */
  navigate(url: string): Promise<Navigation>;
}

export interface Navigation {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Lets a page on any origin read the response, and keeps it out of every cache. */
const USUAL_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after",
  "cache-control": "no-store",
};

/** A reply as it is sent. */
export function serialize({ status = 200, headers = {}, body = "" }: Reply): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
} {
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  const all = {
    ...USUAL_HEADERS,
    ...(isPlain ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  return {
    status,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
    body: isPlain ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
  };
}

/** The delay of a late response, in milliseconds. */
export const LATE_MS = 60;
