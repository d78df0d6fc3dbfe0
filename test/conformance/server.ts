import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";

/** What a server answers. */
export interface Reply {
  /** Default: 200. */
  readonly status?: number;
  /** Laid over the usual ones; an empty value takes a header away. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
}

/** A request, as a server reads it. */
export interface Asked {
  readonly method: string;
  /** With its port. */
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** For an answer that writes by itself, or never. */
  readonly response: ServerResponse;
}

/** Answers; undefined where it writes to the response itself, or leaves it open. */
export type Handler = (asked: Asked) => Reply | undefined | Promise<Reply | undefined>;

/** HTTP on loopback that is as many hosts as the tests want: `*.localhost` is this machine. */
export interface Server {
  readonly port: number;
  /** Every host is at this port too, with nothing on it unless it is served there. */
  readonly otherPort: number;
  /** The origin under which a host is served. Default: at `port`. */
  serve(host: string, handler: Handler, port?: number): string;
  close(): Promise<void>;
}

/** Lets a page on any origin read the answer, and keeps it out of every cache. */
const USUAL_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after",
  "cache-control": "no-store",
};

export async function startServer(): Promise<Server> {
  const hosts = new Map<string, Handler>();
  const listener: RequestListener = (request, response) => {
    answer(hosts, request, response).catch((error: unknown) => {
      // The page has gone, or a row is wrong: the person who wrote it sees why.
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.stack : String(error));
    });
  };
  const servers = [createServer(listener), createServer(listener)] as const;
  const [port, otherPort] = await Promise.all([listen(servers[0]), listen(servers[1])]);
  return {
    port,
    otherPort,
    serve(host, handler, at = port) {
      const { origin, host: name } = new URL(`http://${host}:${at}`);
      hosts.set(name, handler);
      return origin;
    },
    async close() {
      await Promise.all(servers.map(end));
    },
  };
}

async function listen(server: HttpServer): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

const end = (server: HttpServer): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

async function answer(
  hosts: ReadonlyMap<string, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = request;
  const host = headers.host ?? "";
  const url = new URL(request.url ?? "/", `http://${host}`);
  const body = await text(request);
  if (method === "OPTIONS") {
    response.writeHead(204, {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-methods": "GET, POST",
    });
    response.end();
    return;
  }
  const asked = { method, host, path: url.pathname, query: url.searchParams, headers, body };
  const reply = await hosts.get(host)?.({ ...asked, response });
  if (reply) send(response, reply);
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: Reply): void {
  const plain = typeof body === "string" || body instanceof Uint8Array;
  const all = {
    ...USUAL_HEADERS,
    ...(plain ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  response.writeHead(
    status,
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
  );
  response.end(plain ? body : JSON.stringify(body));
}
