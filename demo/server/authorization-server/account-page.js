// @ts-check

/**
 * What a client may ask for at the account management address (specification v1.18, MSC4191), and
 * what the page says to it.
 *
 * @type {Record<string, string>}
 */
const ACTIONS = {
  "org.matrix.profile": "Here a person changes their name and picture.",
  "org.matrix.devices_list": "Here a person sees all devices that are signed in.",
  "org.matrix.device_view": "Here a person looks at one device.",
  "org.matrix.device_delete": "Here a person signs one device out.",
  "org.matrix.account_deactivate": "Here a person closes their account.",
  "org.matrix.cross_signing_reset": "Here a person allows their keys to be replaced.",
};

export const ACCOUNT_ACTIONS = Object.freeze(Object.keys(ACTIONS));

export const ACCOUNT_PATH = "/account";

/**
 * The page behind `account_management_uri`. It shows who is signed in and that the client's link
 * arrived whole; it changes nothing.
 *
 * @param {object} options
 * @param {any} options.provider
 * @param {import("../accounts.js").Accounts} options.accounts
 * @param {import("./views.js").Views} options.views
 * @param {() => string} options.serverName
 * @returns {import("koa").Middleware}
 */
export function accountPage({ provider, accounts, views, serverName }) {
  return async (ctx) => {
    const { accountId } = await provider.Session.get(ctx);
    const account = accountId ? accounts.find(accountId) : undefined;
    const { action, device_id: deviceId } = ctx.query;
    views.show(ctx, "account", {
      account,
      userId: account && `@${account.localpart}:${serverName()}`,
      action: typeof action === "string" ? action : null,
      explanation: typeof action === "string" ? ACTIONS[action] : undefined,
      deviceId: typeof deviceId === "string" ? deviceId : null,
    });
  };
}
