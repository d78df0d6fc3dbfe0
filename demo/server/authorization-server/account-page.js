// @ts-check
import { bodyParser } from "@koa/bodyparser";
import Router from "@koa/router";
import { accountOfForm, formOf } from "./sign-in-form.js";

/** @import { Account, Accounts } from "../accounts.js" */
/** @import { DeviceSessions, HomeserverNotices } from "./device-sessions.js" */
/** @import { FieldError } from "./sign-in-form.js" */

const DEACTIVATE = "org.matrix.account_deactivate";

/**
 * The page of each action; others lead to the first page. As in Matrix Authentication Service (1.22), the
 * names from before Matrix 1.18 work too, and deactivation is not listed, although the first page has it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-account-management
 * @type {ReadonlyMap<string, "start" | "devices" | "device" | "reset">}
 */
const PAGES = new Map([
  ["org.matrix.profile", "start"],
  ["org.matrix.devices_list", "devices"],
  ["org.matrix.device_view", "device"],
  ["org.matrix.device_delete", "device"],
  ["org.matrix.cross_signing_reset", "reset"],
  ["org.matrix.sessions_list", "devices"],
  ["org.matrix.session_view", "device"],
  ["org.matrix.session_end", "device"],
]);

export const ACCOUNT_ACTIONS = Object.freeze([...PAGES.keys()]);

export const ACCOUNT_PATH = "/account";
const SCRIPT_PATH = `${ACCOUNT_PATH}/done.js`;

/** The message of Matrix Authentication Service's page to the app that opened it. */
const SCRIPT = `
if (window.opener) window.opener.postMessage("authDone", "*");
`;

/** How long a user stays signed in to the page, in seconds. */
const SESSION_S = 14 * 24 * 60 * 60;

/** How long an approval is valid, in milliseconds. */
const RESET_MS = 10 * 60 * 1000;

/**
 * The users who have allowed that their keys are replaced.
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
 * The page behind `account_management_uri`. It requires a sign-in first. The user sees and removes
 * devices there, deactivates the account, and allows that keys are replaced.
 *
 * @param {object} options
 * @param {any} options.provider
 * @param {Accounts} options.accounts
 * @param {import("./views.js").Views} options.views
 * @param {() => string} options.serverName
 * @param {DeviceSessions} options.devices
 * @param {HomeserverNotices} options.homeserver
 * @returns {Router}
 */
export function accountRoutes({ provider, accounts, views, serverName, devices, homeserver }) {
  const router = new Router();

  router.get(ACCOUNT_PATH, async (ctx) => {
    const account = await signedInAccount(ctx);
    return account ? showPage(ctx, account) : showSignIn(ctx);
  });

  // The session's cookie is "lax", so browsers do not send it with another site's form.
  router.post(ACCOUNT_PATH, bodyParser(), async (ctx) => {
    const account = await signedInAccount(ctx);
    const form = formOf(ctx);
    if (!account) return signIn(ctx, form);
    const { localpart } = account;
    if (form["allow"] !== undefined) {
      await homeserver.allowCrossSigningReset(localpart);
      return showPage(ctx, account, {
        page: "done",
        notice: "Allowed. Go back to the app: it can create new keys now.",
        script: views.issuerPath + SCRIPT_PATH,
      });
    }
    if (form["deactivate"] !== undefined) {
      await Promise.all(devices.of(localpart).map(devices.end));
      accounts.remove(localpart);
      await homeserver.deactivateUser(localpart);
      return showPage(ctx, account, { page: "done", notice: "Your account is deactivated." });
    }
    const device = devices.of(localpart).find(({ deviceId }) => deviceId === form["remove"]);
    if (!device) return showPage(ctx, account);
    await devices.end(device);
    const notice = `${device.deviceId} is removed.`;
    return showPage(ctx, account, { page: "devices", notice });
  });

  router.get(SCRIPT_PATH, (ctx) => {
    ctx.type = "js";
    ctx.body = SCRIPT;
  });

  /** @param {import("koa").Context} ctx */
  async function signedInAccount(ctx) {
    const { accountId } = await provider.Session.get(ctx);
    return accountId && accounts.find(accountId);
  }

  /**
   * @param {import("koa").Context} ctx
   * @param {Record<string, string | undefined>} form
   */
  async function signIn(ctx, form) {
    const { account, username, error } = accountOfForm(accounts, form);
    if (!account) return showSignIn(ctx, username, error);
    const session = new provider.Session();
    session.loginAccount({ accountId: account.id });
    await session.save(SESSION_S);
    ctx.cookies.set(provider.cookieName("session"), session.id, { signed: true, sameSite: "lax" });
    ctx.status = 303;
    ctx.redirect(views.issuerPath + ctx.url);
  }

  /**
   * @param {import("koa").Context} ctx
   * @param {string} [username]
   * @param {FieldError} [error]
   */
  function showSignIn(ctx, username, error) {
    views.show(ctx, "sign-in", {
      ...{ username, error, action: views.issuerPath + ctx.url },
      demoAccounts: accounts.list().filter(({ demo }) => demo),
    });
  }

  /**
   * @param {import("koa").Context} ctx
   * @param {Account} account
   * @param {{ page?: string, notice?: string, script?: string }} [shown] default: the page of the action
   */
  function showPage(ctx, account, { page, notice, script } = {}) {
    const { action, device_id: deviceId } = /** @type {Record<string, string>} */ (ctx.query);
    const wanted = PAGES.get(action ?? "") ?? "start";
    const data = {
      account,
      userId: `@${account.localpart}:${serverName()}`,
      // As in Matrix Authentication Service, an action without a device leads to all devices.
      page: page ?? (wanted === "device" && deviceId === undefined ? "devices" : wanted),
      notice,
      devices: devices.of(account.localpart),
      deviceId,
      isDeactivating: action === DEACTIVATE,
    };
    views.show(ctx, "account", data, script ? { script } : {});
  }

  return router;
}
