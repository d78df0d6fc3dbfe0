// @ts-check
import { randomBytes } from "node:crypto";
import { forbidden, MatrixError } from "./errors.js";

/**
 * How long tokens live, in milliseconds. Read anew for every token, so that a test may change it at any time.
 *
 * @typedef {object} TokenLifetimes
 * @property {number} refreshable of an access token with a refresh token
 * @property {number | null} other of any other access token; null: it never expires
 */

// Synapse's own.
/** @type {Readonly<TokenLifetimes>} */
export const TOKEN_LIFETIMES = Object.freeze({ refreshable: 300_000, other: null });

/** @typedef {{ localpart: string, deviceId: string }} TokenOwner */

/** @typedef {{ access_token: string, refresh_token?: string, expires_in_ms?: number }} TokenPair */

/**
 * One access token, and the refresh token that replaces it.
 *
 * @typedef {object} Issued
 * @property {TokenOwner} owner
 * @property {string} accessToken
 * @property {string | undefined} refreshToken
 * @property {number} expiresAt in milliseconds since the epoch
 * @property {boolean} used whether the access token has opened anything
 * @property {Issued} [next] what the refresh token was last exchanged for
 */

/**
 * The tokens of a homeserver that signs users in by itself.
 *
 * @typedef {object} AccessTokens
 * @property {(owner: TokenOwner, withRefresh: boolean) => TokenPair} issue
 * @property {(refreshToken: string) => TokenPair} refresh throws a MatrixError
 * @property {(token: string) => TokenOwner & { isExpired: boolean } | undefined} find
 * @property {(localpart: string, deviceId?: string, except?: string) => string[]} revoke
 *   ends the sessions of a device, or of all devices but one; gives the devices that lost one
 */

/**
 * @param {TokenLifetimes} lifetimes
 * @returns {AccessTokens}
 */
export function createAccessTokens(lifetimes) {
  /** @type {Set<Issued>} */
  const all = new Set();

  /** @type {(owner: TokenOwner, withRefresh: boolean) => Issued} */
  const add = (owner, withRefresh) => {
    const lifetime = withRefresh ? lifetimes.refreshable : lifetimes.other;
    const issued = {
      owner,
      accessToken: random("lantern"),
      refreshToken: withRefresh ? random("lantern_refresh") : undefined,
      expiresAt: lifetime === null ? Infinity : Date.now() + lifetime,
      used: false,
    };
    all.add(issued);
    return issued;
  };

  /** @type {(issued: Issued) => TokenPair} */
  const pairOf = ({ accessToken, refreshToken, expiresAt }) => ({
    access_token: accessToken,
    ...(refreshToken && { refresh_token: refreshToken }),
    ...(expiresAt !== Infinity && { expires_in_ms: expiresAt - Date.now() }),
  });

  return {
    issue: (owner, withRefresh) => pairOf(add(owner, withRefresh)),

    // As at Synapse: a refresh token may be used again until what it brought is used, since a response may
    // be lost on its way.
    refresh(refreshToken) {
      const issued = [...all].find((each) => each.refreshToken === refreshToken);
      if (!issued) throw new MatrixError(401, "M_UNKNOWN_TOKEN", "refresh token does not exist");
      if (issued.next?.used) throw forbidden("refresh token isn't valid anymore");
      if (issued.next) all.delete(issued.next);
      for (const each of all) if (each.next === issued) all.delete(each);
      issued.next = add(issued.owner, true);
      return pairOf(issued.next);
    },

    find(token) {
      const issued = [...all].find(({ accessToken }) => accessToken === token);
      if (!issued) return undefined;
      issued.used = true;
      return { ...issued.owner, isExpired: Date.now() >= issued.expiresAt };
    },

    revoke(localpart, deviceId, except) {
      const gone = [...all].filter(
        ({ owner }) =>
          owner.localpart === localpart &&
          (deviceId === undefined ? owner.deviceId !== except : owner.deviceId === deviceId),
      );
      for (const each of gone) all.delete(each);
      return gone.map(({ owner }) => owner.deviceId);
    },
  };
}

/** @param {string} prefix */
const random = (prefix) => `${prefix}_${randomBytes(24).toString("base64url")}`;
