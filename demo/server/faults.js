// @ts-check
import { setTimeout as delay } from "node:timers/promises";

/**
 * The fault of one path. A fault with `status`, `body`, `html` or `drop` responds instead of the
 * server; one with only `headers` or `delayMs` changes the server's own response.
 *
 * @typedef {object} Fault
 * @property {number} [status] default with a body: 200
 * @property {unknown} [body] an object is sent as JSON, a string unchanged
 * @property {string} [html] sent as a page
 * @property {Record<string, string | null>} [headers] null removes a header
 * @property {number} [delayMs] milliseconds to wait first
 * @property {boolean} [drop] closes the connection without a response
 * @property {number} [times] the number of requests with this fault; default: all
 */

/**
 * The faults by the end of their path: `"/oauth2/token"`, or just `"token"`. They are read for every request,
 * so a test can change them at any time.
 *
 * @typedef {Record<string, Fault>} Faults
 */

/**
 * Applies the fault that a test set for this path, if any.
 *
 * Preflights pass: otherwise browsers would report every fault as the same network error.
 *
 * @param {Faults} faults
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @returns {Promise<boolean>} whether a response was sent
 */
export async function playFault(faults, request, response) {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const suffix = Object.keys(faults).find((end) => path.endsWith(end));
  const fault = suffix === undefined ? undefined : faults[suffix];
  if (suffix === undefined || fault === undefined || request.method === "OPTIONS") return false;

  if (fault.times !== undefined && --fault.times <= 0) delete faults[suffix];
  if (fault.delayMs) await delay(fault.delayMs);
  if (fault.drop) {
    request.socket.destroy();
    return true;
  }
  if (fault.status === undefined && fault.body === undefined && fault.html === undefined) {
    changeHeaders(response, fault.headers ?? {});
    return false;
  }

  // A fault includes the CORS headers, which `headers` can remove.
  response.setHeader("Access-Control-Allow-Origin", request.headers.origin ?? "*");
  const [type, content] = representation(fault);
  if (type) response.setHeader("Content-Type", type);
  changeHeaders(response, fault.headers ?? {});
  response.statusCode = fault.status ?? 200;
  request.resume();
  response.end(content);
  return true;
}

/**
 * @param {Fault} fault
 * @returns {[type: string | undefined, content: string | undefined]}
 */
function representation({ html, body }) {
  if (html !== undefined) return ["text/html; charset=utf-8", html];
  if (body === undefined) return [undefined, undefined];
  if (typeof body === "string") return ["text/plain; charset=utf-8", body];
  return ["application/json", JSON.stringify(body)];
}

/**
 * Sets headers last, after those that the server sets itself or with `writeHead`.
 *
 * @param {import("node:http").ServerResponse} response
 * @param {Record<string, string | null>} headers
 */
function changeHeaders(response, headers) {
  const writeHead = response.writeHead;
  response.writeHead = function (/** @type {any[]} */ ...parameters) {
    const last = parameters.at(-1);
    const given = typeof last === "object" ? parameters.pop() : {};
    for (const [name, value] of Object.entries({ ...given, ...headers })) {
      if (value === null) response.removeHeader(name);
      else response.setHeader(name, value);
    }
    return Reflect.apply(writeHead, response, parameters);
  };
}
