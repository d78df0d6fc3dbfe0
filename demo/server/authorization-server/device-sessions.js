// @ts-check
import { deviceIdOf } from "./matrix-scopes.js";

/**
 * A device that is signed in, with one grant.
 *
 * @typedef {object} DeviceSession
 * @property {string} localpart
 * @property {string} displayName the user's
 * @property {string} deviceId
 * @property {string} grantId
 * @property {string | undefined} clientName
 */

/**
 * The provider's notifications to the homeserver. It waits for a promise before it responds to the
 * user.
 *
 * @typedef {object} HomeserverNotices
 * @property {(device: DeviceSession) => unknown} [addDevice]
 * @property {(device: DeviceSession) => unknown} deleteDevice
 * @property {(localpart: string) => unknown} deactivateUser
 * @property {(localpart: string) => unknown} allowCrossSigningReset
 */

/**
 * The provider's signed-in devices.
 *
 * @typedef {object} DeviceSessions
 * @property {(localpart: string) => DeviceSession[]} of
 * @property {(device: DeviceSession) => Promise<void>} end revokes all tokens of the sign-in
 */

/**
 * @param {object} options
 * @param {any} options.provider
 * @param {import("../accounts.js").Accounts} options.accounts
 * @param {HomeserverNotices} options.homeserver
 * @returns {DeviceSessions}
 */
export function trackDeviceSessions({ provider, accounts, homeserver }) {
  /** @type {Map<string, DeviceSession>} */
  const byGrant = new Map();
  /** @type {Set<Promise<void>>} */
  const ending = new Set();

  /** @param {string} localpart */
  const of = (localpart) => [...byGrant.values()].filter((each) => each.localpart === localpart);

  /** @param {string} grantId */
  async function revoke(grantId) {
    const { AccessToken, RefreshToken, Grant } = provider;
    await Promise.all([
      AccessToken.revokeByGrantId(grantId),
      RefreshToken.revokeByGrantId(grantId),
      Grant.find(grantId).then((/** @type {any} */ grant) => grant?.destroy()),
    ]);
  }

  /** @param {string} grantId */
  async function forget(grantId) {
    const device = byGrant.get(grantId);
    byGrant.delete(grantId);
    if (device) await homeserver.deleteDevice(device);
  }

  /** @param {{ accountId: string, clientId: string, grantId: string, scope: string }} token */
  async function begin({ accountId, clientId, grantId, scope }) {
    const account = accounts.find(accountId);
    const deviceId = deviceIdOf(scope);
    if (!account || !deviceId || byGrant.has(grantId)) return;
    const { localpart, displayName } = account;
    const before = of(localpart).find((each) => each.deviceId === deviceId);
    // The same device signs in again: the homeserver keeps it.
    if (before) {
      byGrant.delete(before.grantId);
      await revoke(before.grantId);
    }
    const { clientName } = (await provider.Client.find(clientId)) ?? {};
    const device = { localpart, displayName, deviceId, grantId, clientName };
    byGrant.set(grantId, device);
    await homeserver.addDevice?.(device);
  }

  // The client has revoked a token, or a refresh token was used twice.
  provider.on("grant.revoked", (/** @type {unknown} */ _ctx, /** @type {string} */ grantId) => {
    const end = forget(grantId).finally(() => ending.delete(end));
    ending.add(end);
  });
  provider.use(async (/** @type {any} */ ctx, /** @type {() => Promise<void>} */ next) => {
    await next();
    const token = ctx.oidc?.entities.AccessToken;
    if (token && ctx.oidc.route === "token") await begin(token);
    await Promise.all(ending);
  });

  return {
    of,
    async end({ grantId }) {
      await revoke(grantId);
      await forget(grantId);
    },
  };
}
