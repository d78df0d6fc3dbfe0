// @ts-check
import { forbidden, missingToken, unknownToken } from "./errors.js";
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
 * @returns {(ctx: import("koa").Context) => Promise<Requester>} throws a MatrixError
 */
export function createAuthentication({ authorizationServer, devices, serverName, tokens }) {
  return async (ctx) => {
    const token = /^Bearer (.+)$/i.exec(ctx.get("Authorization"))?.[1];
    if (!token) throw missingToken();
    const own = tokens.find(token);
    if (own) {
      const userId = `@${own.localpart}:${serverName}`;
      devices.see({ userId, deviceId: own.deviceId, displayName: null, ip: ctx.ip });
      return { userId, ...own };
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
