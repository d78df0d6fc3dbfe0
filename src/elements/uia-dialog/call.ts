import type { AuthClient } from "../../context/auth-client.js";
import { UiaError } from "../../core/uia/errors.js";
import type { AuthenticateOptions, DialogCall, DialogSettings, Resumption } from "./options.js";

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
  return {
    ...options,
    // Without a key, a call joins no other one.
    key: options.key ?? {},
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

/**
 * A call that others with the same key have joined. The request is aborted only once all of them have
 * aborted, and each promise as soon as its own caller has.
 */
export class SharedCall {
  readonly call: DialogCall;
  readonly promise: Promise<unknown>;
  readonly #aborted = new AbortController();
  #callers = 0;

  /** @param carryOut Runs the call. */
  constructor(call: DialogCall, carryOut: (call: DialogCall) => Promise<unknown>) {
    this.call = { ...call, signal: this.#aborted.signal };
    this.promise = carryOut(this.call);
  }

  /** For all callers. */
  cancel(reason: unknown): void {
    this.#aborted.abort(reason);
  }

  /** @param signal The caller's. */
  join(signal: AbortSignal | undefined): Promise<unknown> {
    this.#callers += 1;
    if (!signal) return this.promise;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#callers -= 1;
        if (this.#callers === 0) this.#aborted.abort(signal.reason);
        else reject(cancelled(signal.reason));
      };
      signal.addEventListener("abort", leave);
      const done = () => signal.removeEventListener("abort", leave);
      this.promise.finally(done).then(resolve, reject);
    });
  }
}

export const cancelled = (reason: unknown): UiaError =>
  new UiaError("cancelled", "The authentication was cancelled", reason);

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
