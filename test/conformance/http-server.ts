import {
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import {
  LATE_MS,
  serialize,
  type Handler,
  type Navigation,
  type Network,
  type ReceivedRequest,
  type Reply,
} from "./network.js";

/** HTTP on loopback, with as many hosts as the tests need: `*.localhost` is the loopback address. */
export interface HttpNetwork extends Network {
  close(): Promise<void>;
}

export async function startServer(): Promise<HttpNetwork> {
  const hosts = new Map<string, Handler>();
  const listener: RequestListener = (request, response) => {
    respond(hosts, request, response).catch((error: unknown) => {
      // Either the page was closed, or a row is wrong. The stack shows its author why.
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.stack : String(error));
    });
  };
  // A busy client could send its next request at the moment when an idle connection is closed.
  const options = { keepAliveTimeout: 0 };
  const servers = [createServer(options, listener), createServer(options, listener)] as const;
  const [port, otherPort] = await Promise.all([listen(servers[0]), listen(servers[1])]);
  return {
    port,
    otherPort,
    serve(host, handler, at = port) {
      const { origin, host: name } = new URL(`http://${host}:${at}`);
      hosts.set(name, handler);
      return origin;
    },
    navigate,
    close: async () => void (await Promise.all(servers.map(close))),
  };
}

const listen = (server: HttpServer): Promise<number> =>
  new Promise((listening) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      listening(typeof address === "object" ? (address?.port ?? 0) : 0);
    }),
  );

const close = (server: HttpServer): Promise<void> =>
  new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });

async function respond(
  hosts: ReadonlyMap<string, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = request;
  const host = headers.host ?? "";
  const url = new URL(request.url ?? "/", `http://${host}`);
  const body = await readText(request);
  if (method === "OPTIONS") {
    response.writeHead(204, {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-methods": "GET, POST",
    });
    response.end();
    return;
  }
  const received = { method, path: url.pathname, query: url.searchParams, body };
  const reply = await hosts.get(host)?.({
    ...received,
    headers: headers as ReceivedRequest["headers"],
  });
  if (reply) await send(response, reply);
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { fault } = reply;
  const { status, headers, body } = serialize(reply);
  switch (fault) {
    case "never":
      return;
    case "cut":
      response.destroy();
      return;
    case "cut in headers":
      // Without any byte, a browser that has reused the connection repeats the request by itself.
      response.socket?.end("HTTP/1.1 200 OK\r\ncontent-");
      return;
    case "stalled":
      response.writeHead(status, headers);
      response.write(body.slice(0, -1));
      return;
    case "cut in body":
      response.writeHead(status, { ...headers, "content-length": body.length });
      response.write(body.slice(0, -1));
      await delay(20);
      response.destroy();
      return;
    case "endless":
      response.writeHead(status, { ...headers, "content-type": "application/json" });
      while (!response.destroyed) {
        response.write(" ".repeat(1 << 10));
        await delay(20);
      }
      return;
    case "late":
      await delay(LATE_MS);
  }
  response.writeHead(status, headers);
  response.end(body);
}

/** Browsers accept longer URLs than Node's default limit. */
const MAX_URL_LENGTH = 1 << 20;

/** Only browsers always resolve `*.localhost`, so the request names the host separately from the address. */
function navigate(url: string): Promise<Navigation> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((done, failed) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: pathname + search,
      headers: { host },
      maxHeaderSize: MAX_URL_LENGTH,
    };
    const request = sendRequest(options, (response) => {
      readText(response).then(
        (body) =>
          done({ status: response.statusCode ?? 0, location: response.headers.location, body }),
        failed,
      );
    });
    request.on("error", failed);
    request.end();
  });
}
