import type { AuthClient } from "../../context/auth-client.js";
import { UiaError } from "../../core/uia/errors.js";
import type { AuthenticateOptions, DialogCall, DialogSettings, Resumption } from "./lazy/host.js";

type Settings = Omit<DialogSettings, "client"> & Pick<DialogCall, "doRequest">;

type CallOptions = AuthenticateOptions & Partial<Pick<DialogCall, "doRequest">>;

/**
 * Everything that a call is given, when it is made. The dialog reads nothing of this from the element
 * later, because the page might have set another account by then.
 *
 * @param client The client of the call, the element, or its context.
 * @param resumption The UIA session to resume, if it belongs to that client's homeserver.
 */
export function takeCall(
  settings: Settings,
  client: AuthClient | undefined,
  resumption: Resumption,
  options: CallOptions,
): DialogCall {
  const of = <Name extends keyof Settings>(name: Name): Settings[Name] =>
    (options as Partial<Settings>)[name] ?? settings[name];
  const supportedStages = of("supportedStages");
  const { key, heading, description, submitLabel, destructive, signal } = options;
  return {
    // Without a key, a call joins no other one.
    key: key ?? {},
    heading,
    description,
    submitLabel,
    destructive,
    signal,
    doRequest: of("doRequest"),
    requestEmailToken: of("requestEmailToken"),
    requestPhoneToken: of("requestPhoneToken"),
    client,
    homeserver: client?.baseUrl,
    userId: textOf(of("userId")) ?? userOf(client),
    resumption,
    inputs: { ...of("inputs") },
    supportedStages: supportedStages ? [...supportedStages] : undefined,
    pollInterval: of("pollInterval") ?? NaN,
    loadCaptcha: of("loadCaptcha"),
  };
}

/** The user that a client knows without a request. */
export function userOf(client: AuthClient | undefined): string | undefined {
  try {
    return textOf(client?.userId) ?? textOf(client?.getUserId?.());
  } catch {
    // It is asked with `whoami()`.
    return undefined;
  }
}

/**
 * Asserts that everything that names the account agrees, still. It is called before each request.
 *
 * @throws {UiaError} `account_mismatch`
 */
export function assertOneAccount({ client, homeserver, userId }: DialogCall): void {
  const known = userOf(client);
  if (!mayBeOneUser(userId, known) || client?.baseUrl !== homeserver) throw accountMismatch();
}

export const accountMismatch = (): UiaError =>
  new UiaError("account_mismatch", "The client belongs to another account than the user ID");

export const hasAccount = ({ client, userId }: DialogCall): boolean =>
  client !== undefined || userId !== undefined;

/**
 * Whether two calls are for the same account. Without users, only the same client tells, which might
 * learn its user between the two.
 */
export function isSameAccount(one: DialogCall, other: DialogCall): boolean {
  if (one.homeserver !== other.homeserver) return false;
  if (one.client && one.client === other.client) return mayBeOneUser(one.userId, other.userId);
  const isOther = one.client !== other.client && (!one.homeserver || !one.userId);
  return !isOther && one.userId === other.userId;
}

/** Whether two names may be those of one user. A page's `user-id` might be only the localpart. */
export function mayBeOneUser(given: string | undefined, known: string | undefined): boolean {
  const isKnown = given !== undefined && known !== undefined;
  return !isKnown || given === known || (!given.includes(":") && known.startsWith(`@${given}:`));
}

/** Pages without types might set anything. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
