import type { Fault, Reply } from "./network.js";
import type { Responder } from "./row.js";

/** Any JSON value, such as null, a list, or a string. */
export const json =
  (value: unknown, status = 200, headers: Reply["headers"] = {}): Responder =>
  () => ({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  });

/** This text without a change, with the content type of JSON. */
export const text =
  (body: string, status = 200): Responder =>
  () => ({ status, headers: { "content-type": "application/json" }, body });

export const html =
  (status = 200): Responder =>
  () => ({
    status,
    headers: { "content-type": "text/html" },
    body: "<!doctype html><title>Sign in to the Wi-Fi</title>",
  });

/** A page of the provider that runs a script before it redirects the browser like an honest provider. */
export const pageThat =
  (script: string): Responder =>
  async ({ honest }) => {
    const url = JSON.stringify((await honest()).headers?.["location"]);
    return {
      headers: { "content-type": "text/html" },
      body: `<!doctype html><script>try { ${script} } catch {} location.replace(${url})</script>`,
    };
  };

export const status =
  (code: number, headers: Reply["headers"] = {}): Responder =>
  () => ({ status: code, headers });

export const redirect =
  (code: number, to: (environment: Parameters<Responder>[0]["environment"]) => string): Responder =>
  ({ environment }) => ({ status: code, headers: { location: to(environment) } });

/** The honest response, which the network damages. */
const spoiled =
  (fault: Fault): Responder =>
  async ({ honest }) => ({ ...(await honest()), fault });

/** No response, while the connection stays open. The request is not handled. */
export const never: Responder = () => ({ fault: "never" });

/** The connection is cut before the request is handled. */
export const drop: Responder = () => ({ fault: "cut" });

/** The connection is cut in the middle of the response's headers. */
export const cutInHeaders: Responder = () => ({ fault: "cut in headers" });

/** The beginning of the honest response, while the connection stays open. */
export const stalled = spoiled("stalled");

/** The beginning of the honest response, then the connection is cut before the announced length. */
export const cutInBody = spoiled("cut in body");

/** An endless body of JSON whitespace, too slow to reach the size limit. */
export const endless: Responder = () => ({ fault: "endless" });

/** The honest response, after a while. */
export const late = spoiled("late");

/** The honest response with other headers. */
export const withHeaders =
  (headers: Reply["headers"]): Responder =>
  async ({ honest }) => {
    const reply = await honest();
    return { ...reply, headers: { ...reply.headers, ...headers } };
  };

/** The honest response without CORS headers, so that a page on another origin cannot read it. */
export const unreadable = withHeaders({ "access-control-allow-origin": "" });

/** The honest response with another status. */
export const withStatus =
  (code: number): Responder =>
  async ({ honest }) => ({ ...(await honest()), status: code });

/** The honest response's text, changed. */
export const changed =
  (change: (body: string) => string | Uint8Array): Responder =>
  async ({ honest }) => {
    const { body, ...reply } = await honest();
    return {
      ...reply,
      headers: { "content-type": "application/json", ...reply.headers },
      body: change(JSON.stringify(body)),
    };
  };

/** The honest response with so many bytes of white space before it. */
export const padded = (bytes: number): Responder => changed((body) => " ".repeat(bytes) + body);

/** A response for each request in turn. The last one is repeated. */
export const inSequence =
  (...responders: readonly [Responder, ...Responder[]]): Responder =>
  (request) =>
    (responders[request.nth - 1] ?? responders.at(-1) ?? responders[0])(request);

/** The honest response. */
export const honestly: Responder = ({ honest }) => honest();
