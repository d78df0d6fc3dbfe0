import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "./bend.js";
import type { Reply } from "./server.js";

/** JSON, whatever it is: null, a list, a bare text. */
export const json =
  (value: unknown, status = 200, headers: Reply["headers"] = {}): Answer =>
  () => ({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  });

/** This very text, as JSON. */
export const text =
  (body: string | Uint8Array, status = 200): Answer =>
  () => ({ status, headers: { "content-type": "application/json" }, body });

export const html =
  (status = 200): Answer =>
  () => ({
    status,
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>Sign in to the Wi-Fi</title>",
  });

export const status =
  (code: number, headers: Reply["headers"] = {}): Answer =>
  () => ({ status: code, headers });

export const redirect =
  (code: number, to: (world: Parameters<Answer>[0]["world"]) => string): Answer =>
  ({ world }) => ({ status: code, headers: { location: to(world) } });

/** No answer at all, while the connection stays. */
export const never: Answer = () => undefined;

/** The connection is cut without an answer. */
export const drop: Answer = ({ response }) => {
  response.destroy();
  return undefined;
};

/**
 * The same in the middle of its headers. Where there are none at all, a browser that has had an answer
 * over the same connection asks once more by itself.
 */
export const cutShort: Answer = ({ response }) => {
  response.socket?.end("HTTP/1.1 200 OK\r\ncontent-");
  return undefined;
};

/** The honest answer, as no page on another origin may read it. */
export const unreadable: Answer = async ({ honest }) => {
  const reply = await honest();
  return { ...reply, headers: { ...reply.headers, "access-control-allow-origin": "" } };
};

/** The honest answer, after a while. */
export const late: Answer = async ({ honest }) => {
  await delay(60);
  return honest();
};

/** The honest answer with other headers. */
export const withHeaders =
  (headers: Reply["headers"]): Answer =>
  async ({ honest }) => {
    const reply = await honest();
    return { ...reply, headers: { ...reply.headers, ...headers } };
  };

/** The honest answer with another status. */
export const withStatus =
  (code: number): Answer =>
  async ({ honest }) => ({ ...(await honest()), status: code });

/** The honest answer's text, changed. */
export const changed =
  (change: (body: string) => string | Uint8Array): Answer =>
  async ({ honest }) => {
    const { body, ...reply } = await honest();
    return {
      ...reply,
      headers: { "content-type": "application/json", ...reply.headers },
      body: change(JSON.stringify(body)),
    };
  };

/** The beginning of the honest answer, while the connection stays. */
export const stalled: Answer = async ({ honest, response }) => {
  const { status: code = 200, body } = await honest();
  response.writeHead(code, {
    "content-type": "application/json",
    "access-control-allow-origin": "*",
  });
  response.write(JSON.stringify(body).slice(0, -1));
  return undefined;
};

/** The beginning of the honest answer, then the connection is cut: shorter than was announced. */
export const cutOff: Answer = async ({ honest, response }) => {
  const { status: code = 200, body } = await honest();
  const whole = JSON.stringify(body);
  response.writeHead(code, {
    "content-type": "application/json",
    "access-control-allow-origin": "*",
    "content-length": whole.length,
  });
  response.write(whole.slice(0, -1));
  await delay(20);
  response.destroy();
  return undefined;
};

/** An endless body of JSON whitespace, too slow to become too large. */
export const endless: Answer = async ({ response }) => {
  response.writeHead(200, {
    "content-type": "application/json",
    "access-control-allow-origin": "*",
  });
  while (!response.destroyed) {
    response.write(" ".repeat(1 << 10));
    await delay(20);
  }
  return undefined;
};

/** The honest answer with so many bytes of white space before it. */
export const padded = (bytes: number): Answer => changed((body) => " ".repeat(bytes) + body);

/** One answer for the first request, the next one for the second …; the last one stays. */
export const inTurn =
  (...answers: readonly [Answer, ...Answer[]]): Answer =>
  (request) =>
    (answers[request.nth - 1] ?? answers.at(-1) ?? answers[0])(request);

/** What the server says when it is honest. */
export const honestly: Answer = ({ honest }) => honest();
