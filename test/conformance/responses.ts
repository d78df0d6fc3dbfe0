import type { Fault, Reply } from "./network.js";
import type { Responder } from "./row.js";

/** JSON, whatever it is: null, a list, a bare text. */
export const json =
  (value: unknown, status = 200, headers: Reply["headers"] = {}): Responder =>
  () => ({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  });

/** This very text, as JSON. */
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

/** A page of the provider's own, which runs a script before the browser goes where it is sent by an honest one. */
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

/** The honest response, which the network spoils on its way. */
const spoiled =
  (fault: Fault): Responder =>
  async ({ honest }) => ({ ...(await honest()), fault });

/** No response at all, while the connection stays; the request is not handled either. */
export const never: Responder = () => ({ fault: "never" });

/** The connection is cut without a response, before the request is handled. */
export const drop: Responder = () => ({ fault: "cut" });

/** The same in the middle of the response's headers. */
export const cutInHeaders: Responder = () => ({ fault: "cut in headers" });

/** The beginning of the honest response, while the connection stays. */
export const stalled = spoiled("stalled");

/** The beginning of the honest response, then the connection is cut: shorter than was announced. */
export const cutInBody = spoiled("cut in body");

/** An endless body of JSON whitespace, too slow to become too large. */
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

/** The honest response, as no page on another origin may read it. */
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

/** One response for the first request, the next one for the second …; the last one stays. */
export const inSequence =
  (...responders: readonly [Responder, ...Responder[]]): Responder =>
  (request) =>
    (responders[request.nth - 1] ?? responders.at(-1) ?? responders[0])(request);

/** What the server says when it is honest. */
export const honestly: Responder = ({ honest }) => honest();
