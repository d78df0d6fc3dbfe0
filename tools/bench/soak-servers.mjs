// A homeserver and its provider for the soak test. The provider rotates refresh tokens as the Matrix specification says:
// the old one is good for another try until the new tokens are used. One answer in ten fails.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import { listen, providerMetadata } from "./servers.mjs";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-allow-methods": "GET, POST",
  "access-control-expose-headers": "retry-after",
  "cache-control": "no-store",
};
const CLIENT_ID = "client-of-the-soak";
/** By the clock of all who take part. */
export const TOKEN_LIFETIME_S = 20;
/** For so long a new token is not forgotten: the library takes a new token's refusal for a locked account. */
const NEW_S = 5;
/** Longer than the library waits. */
const LATE_MS = 35_000;
const FAULTS = /** @type {const} */ (["lost", "late", "limited", "unavailable"]);

/** @typedef {{ status?: number, body?: object }} Reply */

/**
 * A device that is signed in.
 *
 * @typedef {object} Device
 * @property {string} user
 * @property {string} scope
 * @property {string} refreshToken
 * @property {string} [newest] The access token that came with it.
 * @property {string} [previous] The refresh token before it, while it is good for another try.
 * @property {Set<string>} spent Refresh tokens that must not be seen again.
 * @property {boolean} [isUsed] Unless the answer to the sign-in was lost.
 * @property {Map<string, number>} accessTokens And until when they are good, in ms.
 */

/**
 * @param {{ now: () => number, speed: number, random: () => number }} given The clock, how much faster than real it is,
 *   and chance.
 */
export async function startSoakServers({ now, speed, random }) {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: "key", alg: "ES256", use: "sig" }];
  /** @type {Map<string, { request: URLSearchParams, user: string }>} */
  const codes = new Map();
  /** @type {Set<Device>} */
  const devices = new Set();
  const counts = {
    requests: 0,
    refreshes: 0,
    /** Refreshes with the token before the last, whose answer was lost. */
    retries: 0,
    /** Refreshes with a token that had been used. */
    reused: 0,
    lost: 0,
    late: 0,
    limited: 0,
    unavailable: 0,
  };

  /** @param {(path: string, body: string, token: string) => Promise<Reply>} answer */
  const serve = (answer) =>
    listen(
      createServer((request, response) => {
        /** @type {Buffer[]} */
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", async () => {
          const send = ({ status = 200, body = {} }, headers = {}) => {
            response.writeHead(status, { ...CORS, ...headers, "content-type": "application/json" });
            response.end(JSON.stringify(body));
          };
          if (request.method === "OPTIONS") return send({});
          counts.requests += 1;
          const fault = random() < 0.1 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
          if (fault) counts[fault] += 1;
          if (fault === "limited") {
            return send(
              { status: 429, body: { errcode: "M_LIMIT_EXCEEDED" } },
              { "retry-after": "2" },
            );
          }
          if (fault === "unavailable") return send({ status: 503 });
          const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
          const reply = await answer(request.url ?? "/", Buffer.concat(parts).toString(), token);
          if (fault === "lost") return request.socket.destroy();
          if (fault === "late") setTimeout(() => send(reply), LATE_MS / speed);
          else send(reply);
        });
      }),
    );

  const refused = { status: 400, body: { error: "invalid_grant" } };

  const provider = await serve(async (path, body) => {
    if (path === "/keys") return { body: { keys } };
    if (path === "/revoke") return revoke(new URLSearchParams(body).get("token") ?? "");
    const form = new URLSearchParams(body);
    return form.get("grant_type") === "refresh_token" ? refresh(form) : exchange(form);
  });
  const issuer = `${provider.origin}/`;
  const metadata = providerMetadata(issuer, "ES256");

  /** @param {Device} device */
  function tokensOf(device) {
    device.refreshToken = randomUUID();
    const accessToken = (device.newest = randomUUID());
    device.accessTokens.set(accessToken, now() + TOKEN_LIFETIME_S * 1000);
    return {
      access_token: accessToken,
      refresh_token: device.refreshToken,
      token_type: "Bearer",
      expires_in: TOKEN_LIFETIME_S,
      scope: device.scope,
    };
  }

  /** @param {Device} device */
  function confirm(device) {
    if (device.previous) device.spent.add(device.previous);
    delete device.previous;
  }

  /**
   * @param {URLSearchParams} form
   * @returns {Promise<Reply>}
   */
  async function exchange(form) {
    const code = form.get("code") ?? "";
    const granted = codes.get(code);
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    if (granted?.request.get("code_challenge") !== challenge.digest("base64url")) return refused;
    codes.delete(code);
    const { request, user } = granted;
    /** @type {Device} */
    const device = {
      user,
      scope: request.get("scope") ?? "",
      refreshToken: "",
      spent: new Set(),
      accessTokens: new Map(),
    };
    devices.add(device);
    const at = Math.floor(now() / 1000);
    const idToken = await new SignJWT({ nonce: request.get("nonce") ?? undefined })
      .setProtectedHeader({ alg: "ES256", kid: "key" })
      .setIssuer(issuer)
      .setAudience(CLIENT_ID)
      .setSubject(user)
      .setIssuedAt(at)
      .setExpirationTime(at + 300)
      .sign(privateKey);
    return { body: { ...tokensOf(device), id_token: idToken } };
  }

  /**
   * @param {URLSearchParams} form
   * @returns {Reply}
   * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
   */
  function refresh(form) {
    const token = form.get("refresh_token") ?? "";
    counts.refreshes += 1;
    for (const device of devices) {
      if (token === device.refreshToken) {
        confirm(device);
        device.previous = token;
        return { body: tokensOf(device) };
      }
      if (token === device.previous) {
        counts.retries += 1;
        // The tokens of the lost answer were never used.
        return { body: tokensOf(device) };
      }
      if (device.spent.has(token)) {
        counts.reused += 1;
        devices.delete(device);
        return refused;
      }
    }
    return refused;
  }

  /**
   * @param {string} token
   * @returns {Reply}
   */
  function revoke(token) {
    for (const device of devices) {
      if (
        [device.refreshToken, device.previous].includes(token) ||
        device.accessTokens.has(token)
      ) {
        devices.delete(device);
      }
    }
    return {};
  }

  const homeserver = await serve(async (path, _, token) => {
    if (path === "/_matrix/client/v1/auth_metadata") return { body: metadata };
    for (const device of devices) {
      if ((device.accessTokens.get(token) ?? 0) > now()) {
        // That the token before it is used says nothing of the new ones.
        if (token === device.newest) confirm(device);
        device.isUsed = true;
        return { body: { user_id: `@${device.user}:localhost` } };
      }
    }
    return { status: 401, body: { errcode: "M_UNKNOWN_TOKEN", soft_logout: true } };
  });

  return {
    homeserver,
    clientId: CLIENT_ID,
    counts,
    /** How many devices are signed in that a user has used. */
    get devices() {
      return [...devices].filter(({ isUsed }) => isUsed).length;
    },
    /**
     * Says yes to an authorization request.
     *
     * @param {string} authorizationUrl
     * @param {string} user
     * @returns The URL that the browser comes back to.
     */
    authorize(authorizationUrl, user) {
      const request = new URL(authorizationUrl).searchParams;
      const code = randomUUID();
      codes.set(code, { request, user });
      const url = new URL(request.get("redirect_uri") ?? "");
      url.hash = new URLSearchParams({
        code,
        state: request.get("state") ?? "",
        iss: issuer,
      }).toString();
      return url.href;
    },
    /** Lets the homeserver forget the access tokens, but for those that it has just got. */
    expireTokens() {
      const latest = now() + (TOKEN_LIFETIME_S - NEW_S) * 1000;
      for (const { accessTokens } of devices) {
        for (const [token, until] of accessTokens) if (until < latest) accessTokens.delete(token);
      }
    },
    async close() {
      await Promise.all([provider.close(), homeserver.close()]);
    },
  };
}
