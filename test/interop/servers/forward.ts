import { request as send, type IncomingMessage, type ServerResponse } from "node:http";

/** Changes of a request on its way, such as another header, or a body that was read already. */
interface Changes {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Passes a request on to the server behind a reverse proxy, and its response back. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  { headers, body }: Changes = {},
): void {
  const behind = send(`${origin}${request.url ?? "/"}`, {
    method: request.method,
    headers: { ...request.headers, ...headers },
  });
  behind.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  });
  behind.on("error", () => response.writeHead(502).end());
  if (body === undefined) request.pipe(behind);
  else behind.end(body);
}
