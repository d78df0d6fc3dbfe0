// @ts-check
import { randomUUID } from "node:crypto";

/**
 * The accounts a fresh demo starts with. Their passwords are public on purpose: they are printed by
 * `npm start` and guard nothing, so they are kept as they are.
 */
export const DEMO_ACCOUNTS = Object.freeze([
  { localpart: "alice", displayName: "Alice", password: "alice-demo-password" },
  { localpart: "bob", displayName: "Bob", password: "bob-demo-password" },
  { localpart: "carol", displayName: "Carol", password: "carol-demo-password" },
]);

const SHORTEST_PASSWORD = 8;

// https://spec.matrix.org/v1.19/appendices/#user-identifiers: only these characters. A whole user ID
// has at most 255 bytes, with "@", ":", and the server name. A leading underscore belongs to bridges.
const LOCALPART = /^[a-z0-9.=\-/+][a-z0-9._=\-/+]{0,199}$/;

/**
 * @typedef {object} Account
 * @property {string} password
 * @property {string} id opaque and stable: the `sub` of ID tokens, which is not the user's name
 * @property {string} localpart the part of the user id before the colon
 * @property {string} displayName
 * @property {boolean} demo whether the sign-in page offers it with one click
 */

/** @typedef {{ localpart: string, displayName?: string, password: string }} NewAccount */

/** @typedef {"taken" | "invalid_name" | "weak_password"} AccountErrorCode */

/** Why an account was not created; `code` is for programs, `message` for developers. */
export class AccountError extends Error {
  /**
   * @param {AccountErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "AccountError";
    this.code = code;
  }
}

/**
 * The accounts of the authorization server.
 *
 * @typedef {object} Accounts
 * @property {(id: string) => Account | undefined} find by the opaque id
 * @property {(localpart: string) => Account | undefined} findByLocalpart
 * @property {(localpart: string, password: string) => Account | undefined} authenticate
 * @property {(account: NewAccount) => Account} create throws {@link AccountError}
 * @property {(localpart: string, locked: boolean) => void} setLocked
 *   tokens of a locked account are refreshed but rejected, as in Matrix Authentication Service
 * @property {(localpart: string) => boolean} isLocked
 * @property {(localpart: string) => void} remove the name cannot be used again
 * @property {() => Account[]} list
 */

/**
 * Makes a store of accounts that lives as long as the process.
 *
 * @param {readonly NewAccount[]} [seed] accounts to start with
 * @returns {Accounts}
 */
export function createAccounts(seed = DEMO_ACCOUNTS) {
  /** @type {Map<string, Account>} */
  const byLocalpart = new Map();
  /** @type {Set<string>} */
  const removed = new Set();
  /** @type {Set<string>} */
  const locked = new Set();

  /** @type {(wanted: NewAccount, demo: boolean) => Account} */
  const add = (wanted, demo) => {
    assertAcceptable(wanted);
    const { localpart, displayName, password } = wanted;
    if (byLocalpart.has(localpart) || removed.has(localpart)) {
      throw new AccountError("taken", `The name ${localpart} is taken`);
    }
    const account = Object.freeze({
      id: randomUUID(),
      localpart,
      password,
      displayName: displayName?.trim() || localpart,
      demo,
    });
    byLocalpart.set(localpart, account);
    return account;
  };

  const list = () => [...byLocalpart.values()];

  for (const account of seed) add(account, true);

  return {
    find: (id) => list().find((account) => account.id === id),

    findByLocalpart: (localpart) => byLocalpart.get(localpart),

    authenticate(localpart, password) {
      const account = byLocalpart.get(localpart);
      return account?.password === password ? account : undefined;
    },

    create: (wanted) => add(wanted, false),

    setLocked(localpart, isLocked) {
      if (isLocked) locked.add(localpart);
      else locked.delete(localpart);
    },

    isLocked: (localpart) => locked.has(localpart),

    remove(localpart) {
      byLocalpart.delete(localpart);
      removed.add(localpart);
    },

    list,
  };
}

/** @param {NewAccount} wanted */
function assertAcceptable({ localpart, password }) {
  if (!LOCALPART.test(localpart)) {
    throw new AccountError("invalid_name", "A name has only a-z, 0-9 and . _ = - / +");
  }
  if (password.length < SHORTEST_PASSWORD) {
    throw new AccountError("weak_password", `Fewer than ${SHORTEST_PASSWORD} characters`);
  }
}
