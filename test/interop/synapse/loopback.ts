import { createServer, type IncomingMessage } from "node:http";
import { json, text } from "node:stream/consumers";

export interface Loopback {
  readonly origin: string;
  close(): Promise<void>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a JSON object or of a form. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Serves JSON on loopback to Synapse; what the function gives as undefined is 404. */
export async function serveJson(answer: (asked: Asked) => object | undefined): Promise<Loopback> {
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
      const { method = "GET" } = request;
      const fields = await fieldsOf(request);
      const body = answer({ method, path: pathname, query: searchParams, fields });
      response.statusCode = body ? 200 : 404;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(body ?? {}));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("No port");
  return {
    origin: `http://localhost:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function fieldsOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.method !== "POST") return {};
  const isJson = request.headers["content-type"]?.includes("json");
  if (isJson) return (await json(request)) as Record<string, unknown>;
  return Object.fromEntries(new URLSearchParams(await text(request)));
}
