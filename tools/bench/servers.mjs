// The servers on the network. Each response waits for a given time, including those to preflights, and each request is
// recorded. The app's own site is in site.mjs.
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { createTestServers } from "../../dist/testing/index.js";

/** Takes a free port of this machine. @param {import("node:http").Server} server */
export async function listen(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(true)));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server has no port");
  return {
    host: `localhost:${address.port}`,
    origin: `http://localhost:${address.port}`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

/**
 * @typedef {object} Entry A request with its response.
 * @property {string} method
 * @property {string} path
 * @property {number} begin In ms.
 * @property {number} end In ms.
 */

/** Peers send headers that a homeserver does not allow, and each request counts. */
const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-expose-headers": "retry-after",
  "cache-control": "no-store",
};

/** @param {Response} response */
const withHeaders = ({ body, status, headers }) =>
  new Response(body, { status, headers: { ...Object.fromEntries(headers), ...HEADERS } });

/** A client that is registered already: where it returns to, on any port. */
const CLIENT_ID = "client-of-the-bench";
const REDIRECT_URIS = ["ours", "oidc-client-ts", "auth0-spa-js"].map(
  (subject) => `http://localhost/page/${subject}`,
);

/** Matrix's scopes, which a peer without Matrix does not request. */
const MATRIX_SCOPE = "urn:matrix:client:api:* urn:matrix:client:device:BENCHBENCH";

/** The stages that the homeserver requires, one after the other. */
const STAGES = ["m.login.registration_token", "m.login.terms", "m.login.dummy"];

/**
 * Starts the homeserver and the provider of matrix-auth-elements/testing over real HTTP on loopback,
 * each on a separate port, as in real life on a separate host.
 */
export async function startServers() {
  let delayMs = 0;
  /** @type {Entry[]} */
  let log = [];

  /** @param {Request} request */
  const respond = async (request) => {
    const begin = performance.now();
    const { method, url } = request;
    const path = new URL(url).pathname;
    // The URLs of auth0-spa-js's server are built in.
    const known = path === "/oauth/token" ? new Request(new URL("/token", url), request) : request;
    const response = await servers.respond(known);
    await delay(delayMs);
    log.push({ method, path, begin, end: performance.now() });
    return withHeaders(response);
  };

  const listener = createRequestListener(respond);
  const [homeserver, provider] = await Promise.all([
    listen(createServer(listener)),
    listen(createServer(listener)),
  ]);
  const issuer = `${provider.origin}/`;
  const servers = await createTestServers({
    ...{ homeserver: homeserver.origin, issuer },
    login: ["oauth", "password"],
    algorithm: "RS256",
    clients: { [CLIENT_ID]: REDIRECT_URIS },
    uia: { registrationFlows: [STAGES], registrationTokens: ["token-of-the-bench"] },
  });

  return {
    homeserver,
    issuer,
    close: () => Promise.all([provider.close(), homeserver.close()]),
    clientId: CLIENT_ID,
    /**
     * Agrees to an authorization request, as the user and the provider would.
     *
     * @param {string} authorizationUrl
     * @returns The URL that the browser returns to.
     */
    authorize(authorizationUrl) {
      const url = new URL(authorizationUrl);
      const scope = url.searchParams.get("scope") ?? "";
      if (!scope.includes("urn:matrix:")) {
        url.searchParams.set("scope", `${scope} ${MATRIX_SCOPE}`);
      }
      return servers.approve(url);
    },
    /** @param {number} ms The delay of each further response. */
    slowDown(ms) {
      delayMs = ms;
    },
    /** The requests since the last call. */
    takeLog() {
      const taken = log;
      log = [];
      return taken;
    },
  };
}

/**
 * The number of sequential requests: the longest chain in which each started after the response to
 * the one before.
 *
 * @param {readonly Entry[]} entries
 */
export function inARow(entries) {
  let length = 0;
  let end = -Infinity;
  for (const entry of [...entries].sort((a, b) => a.end - b.end)) {
    if (entry.begin < end) continue;
    length += 1;
    end = entry.end;
  }
  return length;
}
