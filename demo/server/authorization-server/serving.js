// @ts-check
import { get } from "node:http";
import { json } from "node:stream/consumers";
import { listenOnLoopback } from "../loopback.js";

/** @typedef {import("node:http").RequestListener} RequestListener */

const DISCOVERY = "/.well-known/openid-configuration";
const OAUTH_DISCOVERY = "/.well-known/oauth-authorization-server";

/**
 * Serves a handler's paths below another path, for an issuer with a path.
 *
 * @param {string} path such as `/realms/demo`, or nothing
 * @param {RequestListener} handler
 * @returns {RequestListener}
 */
export function below(path, handler) {
  if (path === "") return handler;
  return (request, response) => {
    const url = request.url ?? "/";
    if (url.startsWith(`${path}/`)) {
      request.url = url.slice(path.length);
    } else if (url === OAUTH_DISCOVERY + path) {
      // RFC 8414, section 3.1: the well-known part goes before the issuer's path.
      request.url = OAUTH_DISCOVERY;
    } else {
      response.writeHead(404).end();
      return;
    }
    // The provider starts each of its URLs with this.
    Object.assign(request, { baseUrl: path });
    handler(request, response);
  };
}

/**
 * Reads the discovery document without the public listener, so that a homeserver's request is not counted as
 * a client's, and gets no fault from a test.
 *
 * @param {string} issuer
 * @param {string} issuerPath
 * @param {RequestListener} handler
 * @returns {Promise<Record<string, unknown>>}
 */
export async function readDiscoveryDocument(issuer, issuerPath, handler) {
  const side = await listenOnLoopback(0);
  side.serve(handler);
  try {
    const response = await new Promise((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port: side.port,
        path: issuerPath + DISCOVERY,
        // The provider derives URLs from the request's host.
        headers: { host: new URL(issuer).host },
      };
      get(options, resolve).once("error", reject);
    });
    return /** @type {Record<string, unknown>} */ (await json(response));
  } finally {
    await side.close();
  }
}

/**
 * Shows an error of the pages (an expired sign-in, a missing cookie) as a page.
 *
 * @param {import("./views.js").Views} views
 * @returns {import("koa").Middleware}
 */
export function errorPages(views) {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = /** @type {any} */ (thrown);
      if (!error?.expose) throw thrown;
      const { message, error_description } = error;
      const status = error.statusCode ?? 400;
      views.show(ctx, "error", { error: { error: message, error_description } }, { status });
    }
  };
}
