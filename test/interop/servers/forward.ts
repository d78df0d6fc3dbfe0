import { request as send, type IncomingMessage, type ServerResponse } from "node:http";

/** Passes a request on to the server behind a reverse proxy, and its response back. */
export function forward(request: IncomingMessage, response: ServerResponse, origin: string): void {
  const behind = send(`${origin}${request.url ?? "/"}`, {
    method: request.method,
    headers: request.headers,
  });
  behind.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  });
  behind.on("error", () => response.writeHead(502).end());
  request.pipe(behind);
}
