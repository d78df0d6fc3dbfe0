// @ts-check

/**
 * What a client may ask for at the account management address (specification v1.18, MSC4191), and
 * what the page says to it. Matrix Authentication Service has the old names too, and no deactivation.
 *
 * @type {Record<string, string>}
 */
const ACTIONS = {
  "org.matrix.profile": "Change your name and picture here.",
  "org.matrix.devices_list": "See your signed-in devices here.",
  "org.matrix.device_view": "See one device here.",
  "org.matrix.device_delete": "Sign out one device here.",
  "org.matrix.cross_signing_reset": "Allow your keys to be replaced here.",
  "org.matrix.sessions_list": "See your signed-in devices here.",
  "org.matrix.session_view": "See one device here.",
  "org.matrix.session_end": "Sign out one device here.",
};

export const ACCOUNT_ACTIONS = Object.freeze(Object.keys(ACTIONS));

export const ACCOUNT_PATH = "/account";
export const ACCOUNT_SCRIPT_PATH = "/account/done.js";

const RESET = "org.matrix.cross_signing_reset";

/** How long an approval is valid, in milliseconds. */
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
  const approvedUntil = new Map();
  return {
    allow: (localpart) => void approvedUntil.set(localpart, Date.now() + RESET_MS),
    has: (localpart) => Date.now() < (approvedUntil.get(localpart) ?? 0),
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
