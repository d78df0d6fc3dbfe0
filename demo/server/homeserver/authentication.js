// @ts-check
import { expiredToken, forbidden, lockedUser, missingToken, unknownToken } from "./errors.js";
import { opensMatrixApi } from "../authorization-server/matrix-scopes.js";

/**
 * Who makes a request.
 *
 * @typedef {object} Requester
 * @property {string} userId
 * @property {string} localpart
 * @property {string | null} deviceId
 */

/**
 * Finds out whose token a request carries, and notes that their device was seen.
 *
 * @param {import("./index.js").Homeserver} homeserver
 * @param {{ whileLocked?: boolean }} [options]
 *   whether a locked account and an expired token are let in too, as for signing out
 * @returns {(ctx: import("koa").Context) => Promise<Requester>} throws a MatrixError
 */
export function createAuthentication(homeserver, { whileLocked = false } = {}) {
  const { accounts, authorizationServer, devices, serverName, tokens } = homeserver;
  return async (ctx) => {
    const token = /^Bearer (.+)$/i.exec(ctx.get("Authorization"))?.[1];
    if (!token) throw missingToken();
    const own = tokens.find(token);
    if (own) {
      // To sign out needs no fresh token.
      if (own.isExpired && !whileLocked) throw expiredToken();
      if (accounts.isLocked(own.localpart) && !whileLocked) throw lockedUser();
      const userId = `@${own.localpart}:${serverName}`;
      devices.see({ userId, deviceId: own.deviceId, displayName: null, ip: ctx.ip });
      return { userId, localpart: own.localpart, deviceId: own.deviceId };
    }
    const found = await authorizationServer?.introspect(token);
    if (!found) throw unknownToken();
    if (!opensMatrixApi(found.scope)) {
      throw forbidden("Token doesn't grant access to the client-server API");
    }

    const { localpart, deviceId, clientName } = found;
    const userId = `@${localpart}:${serverName}`;
    if (deviceId) devices.see({ userId, deviceId, displayName: clientName, ip: ctx.ip });
    return { userId, localpart, deviceId };
  };
}
