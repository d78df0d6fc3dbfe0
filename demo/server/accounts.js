// @ts-check
import { randomUUID } from "node:crypto";
import bcrypt from "bcryptjs";

/**
 * The accounts a fresh demo starts with. Their passwords are public on purpose: they are printed by
 * `npm start` and guard nothing.
 */
export const DEMO_ACCOUNTS = Object.freeze([
  { localpart: "alice", displayName: "Alice", password: "alice-demo-password" },
  { localpart: "bob", displayName: "Bob", password: "bob-demo-password" },
  { localpart: "carol", displayName: "Carol", password: "carol-demo-password" },
]);

// Four rounds are the least bcrypt allows. A production server wants twelve or more; here every
// test signs in several times, and the passwords are public anyway.
const BCRYPT_COST = 4;

const SHORTEST_PASSWORD = 8;

// https://spec.matrix.org/v1.19/appendices/#user-identifiers: these characters only; the whole user
// id, with "@", ":" and the server name, has 255 bytes. A leading underscore belongs to bridges.
const LOCALPART = /^[a-z0-9.=\-/+][a-z0-9._=\-/+]{0,199}$/;

/**
 * @typedef {object} Account
 * @property {string} id opaque and stable: the `sub` of ID tokens, which is not the user's name
 * @property {string} localpart the part of the user id before the colon
 * @property {string} displayName
 * @property {boolean} demo one of the seed, which the sign-in page offers with one click
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
 * @typedef {object} Accounts
 * @property {(id: string) => Account | undefined} find by the opaque id
 * @property {(localpart: string) => Account | undefined} findByLocalpart
 * @property {(localpart: string, password: string) => Promise<Account | null>} authenticate
 * @property {(account: NewAccount) => Promise<Account>} create throws {@link AccountError}
 * @property {(localpart: string, password?: string) => void} check
 *   throws an {@link AccountError} where no such account could be made
 * @property {(localpart: string, password: string) => Promise<void>} setPassword
 * @property {(localpart: string, locked: boolean) => void} setLocked
 *   a locked account's tokens are refreshed, but open nothing, as at Matrix Authentication Service
 * @property {(localpart: string) => boolean} isLocked
 * @property {(localpart: string) => void} remove the name stays taken
 * @property {() => Account[]} list
 */

/**
 * Makes a store of accounts that lives as long as the process.
 *
 * @param {readonly NewAccount[]} [seed] accounts to begin with
 * @returns {Accounts}
 */
export function createAccounts(seed = DEMO_ACCOUNTS) {
  /** @type {Map<string, { account: Account, hash: string }>} */
  const byLocalpart = new Map();
  /** @type {Set<string>} */
  const reserved = new Set();
  /** @type {Set<string>} */
  const locked = new Set();
  // Compared with if no account has the name, so that the time taken does not reveal which names exist.
  const nobody = bcrypt.hashSync(randomUUID(), BCRYPT_COST);

  /**
   * @param {NewAccount} wanted
   * @param {string} hash
   * @param {boolean} demo
   */
  const add = ({ localpart, displayName }, hash, demo) => {
    const account = Object.freeze({
      id: randomUUID(),
      localpart,
      displayName: displayName?.trim() || localpart,
      demo,
    });
    byLocalpart.set(localpart, { account, hash });
    return account;
  };

  const list = () => Array.from(byLocalpart.values(), ({ account }) => account);

  /** @type {Accounts["check"]} */
  const check = (localpart, password) => {
    assertAcceptable({ localpart, ...(password !== undefined && { password }) });
    if (byLocalpart.has(localpart) || reserved.has(localpart)) {
      throw new AccountError("taken", `The name ${localpart} is taken`);
    }
  };

  for (const account of seed) {
    assertAcceptable(account);
    add(account, bcrypt.hashSync(account.password, BCRYPT_COST), true);
  }

  return {
    find(id) {
      return list().find((account) => account.id === id);
    },

    findByLocalpart(localpart) {
      return byLocalpart.get(localpart)?.account;
    },

    async authenticate(localpart, password) {
      const entry = byLocalpart.get(localpart);
      const matches = await bcrypt.compare(password, entry?.hash ?? nobody);
      return entry && matches ? entry.account : null;
    },

    check,

    async setPassword(localpart, password) {
      const entry = byLocalpart.get(localpart);
      if (entry) entry.hash = await bcrypt.hash(password, BCRYPT_COST);
    },

    setLocked(localpart, isLocked) {
      if (isLocked) locked.add(localpart);
      else locked.delete(localpart);
    },

    isLocked: (localpart) => locked.has(localpart),

    remove(localpart) {
      byLocalpart.delete(localpart);
      reserved.add(localpart);
    },

    async create(wanted) {
      const { localpart, password } = wanted;
      check(localpart, password);
      // Hashing takes a moment, in which a second request must not get the same name.
      reserved.add(localpart);
      try {
        return add(wanted, await bcrypt.hash(wanted.password, BCRYPT_COST), false);
      } finally {
        reserved.delete(localpart);
      }
    },

    list,
  };
}

/** @param {Pick<NewAccount, "localpart"> & Partial<NewAccount>} wanted */
function assertAcceptable({ localpart, password }) {
  if (!LOCALPART.test(localpart)) {
    throw new AccountError("invalid_name", "A name has only a-z, 0-9 and . _ = - / +");
  }
  if (password === undefined) return;
  if (password.length < SHORTEST_PASSWORD) {
    throw new AccountError("weak_password", `Fewer than ${SHORTEST_PASSWORD} characters`);
  }
  // bcrypt reads 72 bytes and would silently ignore the rest.
  if (bcrypt.truncates(password)) {
    throw new AccountError("weak_password", "More than 72 bytes");
  }
}
