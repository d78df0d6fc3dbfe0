// @ts-check
import { randomBytes } from "node:crypto";

/**
 * The tokens of a homeserver that signs users in by itself.
 *
 * @typedef {object} AccessTokens
 * @property {(localpart: string, deviceId: string) => string} issue
 * @property {(token: string) => { localpart: string, deviceId: string } | undefined} find
 * @property {(localpart: string, deviceId?: string, except?: string) => string[]} revoke
 *   ends the sessions of a device, or of all devices but one; gives the devices that lost one
 */

/** @returns {AccessTokens} */
export function createAccessTokens() {
  /** @type {Map<string, { localpart: string, deviceId: string }>} */
  const byToken = new Map();
  return {
    issue(localpart, deviceId) {
      const token = `lantern_${randomBytes(24).toString("base64url")}`;
      byToken.set(token, { localpart, deviceId });
      return token;
    },

    find: (token) => byToken.get(token),

    revoke(localpart, deviceId, except) {
      const gone = [...byToken].filter(
        ([, each]) =>
          each.localpart === localpart &&
          (deviceId === undefined ? each.deviceId !== except : each.deviceId === deviceId),
      );
      for (const [token] of gone) byToken.delete(token);
      return gone.map(([, each]) => each.deviceId);
    },
  };
}
