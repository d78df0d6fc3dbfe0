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
export const ACCOUNT_SCRIPT_PATH = "/account/done.js";

const RESET = "org.matrix.cross_signing_reset";

/** How long a person's word is good, in milliseconds. */
const RESET_MS = 10 * 60 * 1000;

/** What the page of Matrix Authentication Service says to the application that opened it. */
export const ACCOUNT_SCRIPT = `
if (window.opener) window.opener.postMessage("authDone", "*");
`;

/**
 * Who has allowed that their keys are replaced.
 *
 * @typedef {object} ResetPermissions
 * @property {(localpart: string) => void} allow
 * @property {(localpart: string) => boolean} has
 */

/** @returns {ResetPermissions} */
export function createResetPermissions() {
  /** @type {Map<string, number>} */
  const until = new Map();
  return {
    allow: (localpart) => void until.set(localpart, Date.now() + RESET_MS),
    has: (localpart) => Date.now() < (until.get(localpart) ?? 0),
  };
}

/**
 * The page behind `account_management_uri`. It shows who is signed in and that the client's link
 * arrived whole; all that it changes is whether keys may be replaced.
 *
 * @param {object} options
 * @param {any} options.provider
 * @param {import("../accounts.js").Accounts} options.accounts
 * @param {import("./views.js").Views} options.views
 * @param {() => string} options.serverName
 * @param {ResetPermissions} options.resets
 * @returns {import("koa").Middleware}
 */
export function accountPage({ provider, accounts, views, serverName, resets }) {
  return async (ctx) => {
    const { accountId } = await provider.Session.get(ctx);
    const account = accountId ? accounts.find(accountId) : undefined;
    const { action, device_id: deviceId } = ctx.query;
    // The session's cookie is "lax": a form of another site does not carry it.
    const allowed = ctx.method === "POST" && action === RESET && account !== undefined;
    if (allowed) resets.allow(account.localpart);
    const options = allowed ? { script: views.issuerPath + ACCOUNT_SCRIPT_PATH } : {};
    const data = {
      account,
      asksForReset: action === RESET && account !== undefined && !allowed,
      allowed,
      userId: account && `@${account.localpart}:${serverName()}`,
      action: typeof action === "string" ? action : null,
      explanation: typeof action === "string" ? ACTIONS[action] : undefined,
      deviceId: typeof deviceId === "string" ? deviceId : null,
    };
    views.show(ctx, "account", data, options);
  };
}
