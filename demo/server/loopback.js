// @ts-check
import { createServer } from "node:http";
import { playFault } from "./faults.js";

/**
 * A request, for tests that count them.
 *
 * @typedef {object} LoggedRequest
 * @property {"homeserver" | "authorization-server"} server
 * @property {string} method
 * @property {string} path without the query
 * @property {number} time milliseconds since the epoch
 * @property {boolean} preflight
 * @property {import("node:http").IncomingHttpHeaders} headers
 */

/**
 * @typedef {object} Loopback
 * @property {string} origin `http://localhost:PORT`, or with the other name
 * @property {number} port
 * @property {(handler: import("node:http").RequestListener) => void} serve
 *   responds with this; earlier requests wait
 * @property {() => Promise<void>} close ends kept-alive connections too
 */

/**
 * Listens only on the loopback interface.
 *
 * It listens before it serves, because an authorization server needs its URL first.
 *
 * @param {number} port 0 takes a free one
 * @param {object} [options]
 * @param {"localhost" | "127.0.0.1"} [options.hostname] the host in its URL
 * @param {LoggedRequest["server"]} [options.server]
 * @param {LoggedRequest[]} [options.requestLog]
 * @param {import("./faults.js").Faults} [options.faults]
 * @returns {Promise<Loopback>}
 */
export async function listenOnLoopback(
  port,
  { hostname = "localhost", server: name, requestLog, faults } = {},
) {
  /** @type {(handler: import("node:http").RequestListener) => void} */
  let serve = () => {};
  /** @type {Promise<import("node:http").RequestListener>} */
  const ready = new Promise((resolve) => (serve = resolve));

  const server = createServer(async (request, response) => {
    if (name && requestLog) {
      const { method = "GET", url = "/", headers } = request;
      const path = url.split("?", 1)[0] ?? "/";
      const preflight = method === "OPTIONS";
      requestLog.push({ server: name, method, path, time: Date.now(), preflight, headers });
    }
    if (faults && (await playFault(faults, request, response))) return;
    (await ready)(request, response);
  });

  // A client on a busy machine could send its next request at the moment when an idle connection is closed.
  server.keepAliveTimeout = 0;

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;

  return {
    // The origin always has the same host, because cookies of one are not sent to the other.
    origin: `http://${hostname}:${bound}`,
    port: bound,
    serve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
