import type { UserIdentifier } from "../../core/index.js";
import { loginWithPassword } from "../../core/legacy/login.js";
import { plain, serverOfUser, userIn } from "../../core/shared/typed-names.js";
import { loadNumbers, regionOf } from "../../ui/phone/phone-number.js";
import type { SignedInUser } from "../../sign-in/signed-in.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import { assertUserAt } from "../../sign-in/password-place.js";
import type { FoundHomeserver } from "./lookup.js";
import { type Given, serverNameOf, sessionOptions } from "./settings.js";

/** Re-exported for the form that creates an account. */
export { useLoginResponse } from "../../core/legacy/login.js";

/**
 * Signs in with a password. The password is sent only to the homeserver that it was typed for.
 *
 * @throws {LoginError} `user_elsewhere`, and the errors of the sign-in.
 */
export async function logInWithPassword(
  { device, session, timeoutMs, language }: Given,
  found: FoundHomeserver,
  { user, password }: { readonly user: string; readonly password: string },
  signal: AbortSignal,
): Promise<SignedInUser> {
  const { homeserverUrl, identityServerUrl } = found;
  const limits = { signal, timeoutMs };
  const isTyped = user !== device.expectedUserId;
  const serverName = serverNameOf(found.homeserver);
  await assertUserAt(user, { homeserverUrl, serverName, isTyped }, limits);
  const login = { homeserverUrl, identityServerUrl, ...device };
  const credentials = { identifier: await identifierOf(user, language), password };
  signal.throwIfAborted();
  // Load the code first. If the load failed later, the token would be lost.
  const { keepLegacyLogin } = await loadSession();
  const result = await loginWithPassword({ ...login, ...credentials }, limits);
  return keepLegacyLogin(result, sessionOptions(session, result), !!device.deviceId);
}

/**
 * Matches phone numbers: text that begins like one, or contains characters that no localpart
 * contains. Other text of digits is a username.
 */
const PHONE = /^(?=[+＋(0]|.*[\s()])[+＋]?[\p{Nd}\s()./-]{6,}$/u;

/**
 * The identifier for a localpart, a user ID, an email address, or a phone number with or without a
 * country code.
 */
async function identifierOf(typed: string, language: string): Promise<UserIdentifier> {
  const user = plain(typed);
  if (/^[^@\s]+@[^@\s]+$/.test(user) && serverOfUser(user) === undefined) {
    return { type: "m.id.thirdparty", medium: "email", address: user };
  }
  const country = PHONE.test(user)
    ? (await loadNumbers()).countryOf(user, regionOf(language))
    : undefined;
  return country
    ? { type: "m.id.phone", country, phone: user }
    : { type: "m.id.user", user: userIn(user) };
}
