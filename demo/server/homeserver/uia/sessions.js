// @ts-check
import { randomBytes } from "node:crypto";
import { MatrixError } from "../errors.js";

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} operation method and path: a session is good for no other
 * @property {Record<string, unknown>} body of the request that began it
 * @property {Set<string>} completed
 * @property {Record<string, unknown>} found what stages have found out, such as a verified address
 * @property {number} startedAt milliseconds since the epoch
 */

/**
 * @typedef {object} Sessions
 * @property {(operation: string, body: Record<string, unknown>) => Session} begin
 * @property {(id: string) => Session | undefined} find
 * @property {(id: string, operation: string) => Session} open throws a MatrixError
 * @property {() => void} forget forgets all
 */

/**
 * @param {import("./settings.js").UiaSettings} settings
 * @returns {Sessions}
 */
export function createSessions(settings) {
  /** @type {Map<string, Session>} */
  const byId = new Map();

  /** @param {string} id */
  const find = (id) => {
    const session = byId.get(id);
    if (session && Date.now() - session.startedAt > settings.expiryMs) byId.delete(id);
    return byId.get(id);
  };

  return {
    find,
    forget: () => byId.clear(),

    begin(operation, body) {
      const id = randomBytes(24)
        .toString("base64url")
        .replace(/[^a-zA-Z]/g, "x")
        .slice(0, 24);
      const session = {
        id,
        operation,
        body: { ...body, auth: undefined },
        completed: new Set(),
        found: {},
        startedAt: Date.now(),
      };
      byId.set(id, session);
      return session;
    },

    open(id, operation) {
      const session = find(id);
      if (!session) throw new MatrixError(400, "M_UNKNOWN", `Unknown session ID: ${id}`);
      if (session.operation !== operation) {
        throw new MatrixError(
          403,
          "M_UNKNOWN",
          "Requested operation has changed during the UI authentication session.",
        );
      }
      return session;
    },
  };
}
