// The attacker's servers, for attacks that depend on the browser's network stack.
import type { IncomingMessage, ServerResponse } from "node:http";
import { listenOnLoopback } from "../../demo/server/loopback.js";
import { startPages } from "../../demo/server/pages.js";
import { folder } from "../e2e/testbed.js";

export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface AttackServer {
  readonly origin: string;
  /** All requests except preflights. */
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts a server that allows requests of all pages. */
export async function startAttackServer(answer: Answer): Promise<AttackServer> {
  const seen: SeenRequest[] = [];
  const { origin, serve, close } = await listenOnLoopback(0);
  serve((request, response) => {
    void (async () => {
      const { method = "GET", url: path = "/", headers } = request;
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type, X-App");
      response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, PATCH");
      if (method === "OPTIONS") return void response.end();
      const { authorization } = headers;
      const one = { method, path, authorization, body: await bodyOf(request) };
      seen.push(one);
      answer(one, response);
    })();
  });
  return { origin, seen, close };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Starts the app's pages: `session.html` has the core as `core`. */
export const startAppPages = (
  headers: Record<string, string> = {},
): ReturnType<typeof startPages> =>
  startPages({ roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") }, headers });
