// The homeserver and the provider of matrix-auth-elements/testing for the soak test. One response
// in ten fails.
import { setTimeout as delay } from "node:timers/promises";
import { createRequest, sendResponse } from "@remix-run/node-fetch-server";
import { startBoth, withHeaders } from "./servers.mjs";

const CLIENT_ID = "client-of-the-soak";
/** By the clock of all who take part. */
export const TOKEN_LIFETIME_S = 20;
/**
 * A new token is not revoked for so long, because the library treats a new token's rejection as a
 * locked account.
 */
const NEW_S = 5;
/** Longer than the library waits. */
const LATE_MS = 35_000;
const FAULTS = /** @type {const} */ (["lost", "late", "limited", "unavailable"]);
const WHOAMI = "/_matrix/client/v3/account/whoami";

/** @param {{ now: () => number, speed: number }} clock `speed`: how much faster than real. */
export async function startSoakServers({ now, speed }) {
  /** @type {Set<string>} */
  const users = new Set();
  /** Refresh tokens that brought new ones. @type {Set<string>} */
  const exchanged = new Set();
  /** When access tokens were issued. @type {Map<string, number>} */
  const issued = new Map();
  let forgottenBefore = -Infinity;
  const counts = {
    requests: 0,
    refreshes: 0,
    /** Refreshes with the token before the last, whose response was lost. */
    retries: 0,
    /** Refreshes with a token that had been used. */
    reused: 0,
    lost: 0,
    late: 0,
    limited: 0,
    unavailable: 0,
  };

  /**
   * @param {import("node:http").IncomingMessage} incoming
   * @param {import("node:http").ServerResponse} outgoing
   */
  async function listener(incoming, outgoing) {
    const request = createRequest(incoming, outgoing);
    const isAsked = request.method !== "OPTIONS";
    // One response in ten has one: beyond the end there is none.
    const fault = isAsked ? FAULTS[Math.floor(Math.random() * FAULTS.length * 10)] : undefined;
    if (isAsked) counts.requests += 1;
    if (fault) counts[fault] += 1;
    const response =
      fault === "limited" || fault === "unavailable" ? FAILED[fault]() : await answer(request);
    if (fault === "lost") {
      incoming.socket.destroy();
      return;
    }
    if (fault === "late") await delay(LATE_MS / speed);
    await sendResponse(outgoing, withHeaders(response));
  }

  /** @param {Request} request */
  async function answer(request) {
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/token") return exchange(request);
    const token = request.headers.get("Authorization")?.replace(/^Bearer /, "") ?? "";
    if ((issued.get(token) ?? Infinity) < forgottenBefore) {
      return Response.json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, { status: 401 });
    }
    // The user of the token is better evidence than media.
    const isMedia = pathname.includes("/media/") && request.method === "GET";
    return servers.respond(isMedia ? new Request(origin + WHOAMI, request) : request);
  }

  /** @param {Request} request */
  async function exchange(request) {
    const refreshToken = new URLSearchParams(await request.clone().text()).get("refresh_token");
    const response = await servers.respond(request);
    if (response.ok) issued.set((await response.clone().json()).access_token, now());
    if (refreshToken === null) return response;
    counts.refreshes += 1;
    if (exchanged.has(refreshToken)) counts[response.ok ? "retries" : "reused"] += 1;
    if (response.ok) exchanged.add(refreshToken);
    return response;
  }

  const { servers, ...both } = await startBoth(listener, {
    serverName: "localhost",
    accounts: {},
    clients: { [CLIENT_ID]: ["http://localhost"] },
    tokenLifetimeMs: TOKEN_LIFETIME_S * 1000,
    now,
  });

  return {
    ...both,
    clientId: CLIENT_ID,
    counts,
    /**
     * The number of signed-in devices that a user has used: not those of a sign-in whose response
     * was lost.
     */
    get devices() {
      return [...users]
        .flatMap((user) => servers.account(user)?.devices ?? [])
        .filter(({ last_seen_ts: seen }) => seen !== undefined).length;
    },
    /**
     * Agrees to an authorization request.
     *
     * @param {string} authorizationUrl
     * @param {string} user
     * @returns The URL that the browser returns to.
     */
    authorize(authorizationUrl, user) {
      users.add(user);
      servers.addAccount(user);
      return servers.approve(authorizationUrl, { user });
    },
    /** Revokes the homeserver's access tokens, except those that it has just issued. */
    expireTokens() {
      forgottenBefore = now() - NEW_S * 1000;
    },
  };
}

const FAILED = {
  limited: () =>
    Response.json(
      { errcode: "M_LIMIT_EXCEEDED" },
      { status: 429, headers: { "Retry-After": "2" } },
    ),
  unavailable: () => Response.json({}, { status: 503 }),
};
