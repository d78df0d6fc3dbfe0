// @ts-check
import { randomBytes } from "node:crypto";
import { forbidden } from "./errors.js";

/**
 * Tokens that sign a user in, once and soon.
 *
 * @typedef {object} LoginTokens
 * @property {(localpart: string, lifetimeMs: number) => string} issue
 * @property {(token: string) => string} take the localpart; throws a MatrixError
 */

/** @returns {LoginTokens} */
export function createLoginTokens() {
  /** @type {Map<string, { localpart: string, expiresAt: number }>} */
  const byToken = new Map();
  return {
    issue(localpart, lifetimeMs) {
      const token = randomBytes(12).toString("base64url");
      byToken.set(token, { localpart, expiresAt: Date.now() + lifetimeMs });
      return token;
    },

    take(token) {
      const found = byToken.get(token);
      byToken.delete(token);
      if (!found || Date.now() >= found.expiresAt) throw forbidden("Invalid login token");
      return found.localpart;
    },
  };
}
