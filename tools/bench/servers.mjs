// A homeserver and an OpenID provider over real HTTP on loopback, each on a port of its own, as in real
// life on a host of its own. Each answer waits for a given time, those to preflights too, and each
// request is written down.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";

/**
 * Takes a free port of this machine.
 *
 * @param {import("node:http").Server} server
 */
export async function listen(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(true)));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server has no port");
  return {
    host: `localhost:${address.port}`,
    origin: `http://localhost:${address.port}`,
    async close() {
      await new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      });
    },
  };
}

/**
 * @typedef {object} Entry A request that was answered.
 * @property {string} method
 * @property {string} path
 * @property {number} begin In ms.
 * @property {number} end In ms.
 */

/** @typedef {{ status?: number, body?: unknown }} Reply */
/** @typedef {{ method: string, path: string, body: string }} Asked */

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "cache-control": "no-store",
};

/**
 * What a provider says of itself.
 *
 * @param {string} issuer
 * @param {string} alg What it signs with.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export const providerMetadata = (issuer, alg) => ({
  issuer,
  authorization_endpoint: `${issuer}authorize`,
  token_endpoint: `${issuer}token`,
  revocation_endpoint: `${issuer}revoke`,
  jwks_uri: `${issuer}keys`,
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  id_token_signing_alg_values_supported: [alg],
});

/** The stages that the homeserver asks for, one after the other, and what completes them. */
const STAGES = ["m.login.registration_token", "m.login.terms", "m.login.dummy"];

export async function startServers() {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const clientId = "client-of-the-bench";
  let delayMs = 0;
  /** @type {Entry[]} */
  let log = [];
  /** By code: what was asked for at the authorization endpoint. @type {Map<string, URLSearchParams>} */
  const codes = new Map();
  /** By session: the completed stages. @type {Map<string, string[]>} */
  const sessions = new Map();

  /** @param {(asked: Asked) => Reply | Promise<Reply>} answer */
  const serve = (answer) =>
    listen(
      createServer((request, response) => {
        const begin = performance.now();
        const { method = "GET", url = "/" } = request;
        /** @type {Buffer[]} */
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", async () => {
          const path = new URL(url, "http://localhost").pathname;
          const asked = { method, path, body: Buffer.concat(parts).toString() };
          const reply = method === "OPTIONS" ? { status: 204 } : await answer(asked);
          await delay(delayMs);
          log.push({ method, path, begin, end: performance.now() });
          const { status = 200, body } = reply;
          response.writeHead(status, {
            ...CORS,
            ...(body !== undefined && { "content-type": "application/json" }),
          });
          response.end(body === undefined ? undefined : JSON.stringify(body));
        });
      }),
    );

  const provider = await serve(async ({ path, body }) => {
    if (path === "/.well-known/openid-configuration") return { body: metadata };
    if (path === "/keys") return { body: { keys: [{ ...jwk, kid, alg: "RS256", use: "sig" }] } };
    if (path === "/register") {
      return { status: 201, body: { ...JSON.parse(body), client_id: clientId } };
    }
    // auth0-spa-js knows its server's addresses by heart.
    if (path === "/token" || path === "/oauth/token") return exchange(new URLSearchParams(body));
    return { status: 404, body: { error: "not_found" } };
  });
  const issuer = `${provider.origin}/`;
  const metadata = {
    ...providerMetadata(issuer, "RS256"),
    registration_endpoint: `${issuer}register`,
  };

  /**
   * RFC 6749, section 4.1.3; RFC 7636, section 4.6.
   *
   * @param {URLSearchParams} form
   * @returns {Promise<Reply>}
   */
  async function exchange(form) {
    const code = form.get("code") ?? "";
    const request = codes.get(code);
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    if (!request || request.get("code_challenge") !== challenge.digest("base64url")) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    codes.delete(code);
    const scope = request.get("scope") ?? "";
    const claims = { nonce: request.get("nonce") ?? undefined };
    const idToken = scope.includes("openid") && {
      id_token: await new SignJWT(claims)
        .setProtectedHeader({ alg: "RS256", kid })
        .setIssuer(issuer)
        .setAudience(request.get("client_id") ?? "")
        .setSubject("alice")
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(privateKey),
    };
    return {
      body: {
        access_token: "access-token",
        refresh_token: "refresh-token",
        token_type: "Bearer",
        expires_in: 300,
        scope,
        ...idToken,
      },
    };
  }

  const homeserver = await serve(({ path, body }) => {
    if (path === "/.well-known/matrix/client") {
      return { body: { "m.homeserver": { base_url: homeserver.origin } } };
    }
    if (path === "/_matrix/client/versions") {
      return { body: { versions: ["v1.11", "v1.15", "v1.16"], unstable_features: {} } };
    }
    if (path === "/_matrix/client/v1/auth_metadata") return { body: metadata };
    if (path === "/_matrix/client/v3/login") {
      return { body: { flows: [{ type: "m.login.password" }] } };
    }
    if (path === "/_matrix/client/v3/register") return authenticate(JSON.parse(body).auth ?? {});
    return { status: 404, body: { errcode: "M_UNRECOGNIZED", error: "Unknown" } };
  });

  /**
   * User-Interactive Authentication in three stages.
   *
   * @param {{ type?: string, session?: string }} auth
   * @returns {Reply}
   */
  function authenticate({ type, session = randomUUID() }) {
    const completed = sessions.get(session) ?? [];
    if (type === STAGES[completed.length]) completed.push(type ?? "");
    sessions.set(session, completed);
    if (completed.length === STAGES.length) return { body: { user_id: "@alice:localhost" } };
    return { status: 401, body: { session, flows: [{ stages: STAGES }], params: {}, completed } };
  }

  return {
    homeserver,
    issuer,
    metadata,
    clientId,
    /**
     * Says yes to an authorization request, as the person and the provider would.
     *
     * @param {string} authorizationUrl
     * @returns The address that the browser comes back to.
     */
    authorize(authorizationUrl) {
      const request = new URL(authorizationUrl).searchParams;
      const code = randomUUID();
      codes.set(code, request);
      const back = new URL(request.get("redirect_uri") ?? "");
      const answer = new URLSearchParams({ code, state: request.get("state") ?? "" });
      if (request.get("response_mode") === "fragment") back.hash = answer.toString();
      else back.search = answer.toString();
      return back.href;
    },
    /** @param {number} ms How long each answer waits from now on. */
    slowDown(ms) {
      delayMs = ms;
    },
    /** What was asked since the last time. */
    takeLog() {
      const taken = log;
      log = [];
      return taken;
    },
    async close() {
      await Promise.all([provider.close(), homeserver.close()]);
    },
  };
}

/**
 * How many requests had to wait for one another: the longest row of them in which each began after the
 * one before was answered.
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
