import { UiaError } from "../../core/uia/errors.js";
import { userOf } from "./call.js";
import type { DialogCall } from "./options.js";

/** The homeserver's URL. A session that moves to another URL takes its calls along. */
export const homeserverOf = ({ client, homeserver }: DialogCall): string | undefined =>
  client?.followsSession ? client.baseUrl : homeserver;

/**
 * Asserts that all settings still name the same account. Called before each request.
 *
 * @throws {UiaError} `account_mismatch`
 */
export function assertOneAccount(call: DialogCall): void {
  const { client, userId } = call;
  const isOneUser = mayBeOneUser(userId, userOf(client));
  if (!isOneUser || client?.baseUrl !== homeserverOf(call)) throw accountMismatch();
}

export const accountMismatch = (): UiaError =>
  new UiaError("account_mismatch", "The client belongs to another account than the user ID");

export const hasAccount = ({ client, userId }: DialogCall): boolean =>
  client !== undefined || userId !== undefined;

/**
 * Whether two calls are for the same account. If the users are unknown, the calls must have the
 * same client, which might learn its user between the two.
 */
export function isSameAccount(one: DialogCall, other: DialogCall): boolean {
  const homeserver = homeserverOf(one);
  if (homeserver !== homeserverOf(other)) return false;
  if (one.client && one.client === other.client) return mayBeOneUser(one.userId, other.userId);
  const isOther = one.client !== other.client && (!homeserver || !one.userId);
  return !isOther && one.userId === other.userId;
}

/**
 * Whether two names can belong to the same user. A page's `user-id` might be only the localpart.
 */
export function mayBeOneUser(given: string | undefined, known: string | undefined): boolean {
  const isKnown = given !== undefined && known !== undefined;
  return !isKnown || given === known || (!given.includes(":") && known.startsWith(`@${given}:`));
}
