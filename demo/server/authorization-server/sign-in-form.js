// @ts-check
import { localpartFrom } from "./interaction-data.js";

/** @import { Account, Accounts } from "../accounts.js" */

/** @typedef {{ field: string, text: string }} FieldError */

/**
 * @param {import("koa").Context} ctx
 * @returns {Record<string, string | undefined>}
 */
export function formOf(ctx) {
  return /** @type {any} */ (ctx.request).body ?? {};
}

/**
 * The account in a sign-in form, or the error in the form.
 *
 * @param {Accounts} accounts
 * @param {Record<string, string | undefined>} form
 * @returns {{ account?: Account, username?: string, error?: FieldError }}
 */
export function accountOfForm(accounts, form) {
  const quick = accounts.findByLocalpart(form["continue_as"] ?? "");
  // Only the page's suggestions work without a password.
  if (quick?.demo) return { account: quick };
  const username = form["username"]?.trim() ?? "";
  const password = form["password"] ?? "";
  if (!username) return { username, error: { field: "username", text: "Enter your username." } };
  if (!password) return { username, error: { field: "password", text: "Enter your password." } };
  const account = accounts.authenticate(localpartFrom(username), password);
  if (account) return { account };
  return { username, error: { field: "password", text: "Wrong username or password." } };
}
