// @ts-check

/**
 * The headers that the specification asks for on every response of the client-server API, errors
 * included: https://spec.matrix.org/v1.19/client-server-api/#web-browser-clients
 *
 * Fixed, and not what a request requires: a library that sends another header must fail here as it
 * fails at a real server.
 */
const HEADERS = Object.freeze({
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization, Date",
  // As Synapse has it: a page cannot read `Retry-After` of another origin.
  "Access-Control-Expose-Headers": "Synapse-Trace-Id, Server",
});

/** @returns {import("koa").Middleware} */
export function allowEveryOrigin() {
  return (ctx, next) => {
    ctx.set(HEADERS);
    if (ctx.method !== "OPTIONS") {
      // As Synapse has it; what may be kept says so itself.
      ctx.set("Cache-Control", "no-cache, no-store, must-revalidate");
      return next();
    }
    ctx.status = 204;
    return undefined;
  };
}
