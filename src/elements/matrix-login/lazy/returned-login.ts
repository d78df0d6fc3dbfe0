import type { OidcSession } from "../../../core/index.js";
import { asLoginError, LoginError } from "../../../core/legacy/errors.js";
import type { CapturedResponse } from "../../../sign-in/captured-response.js";
import { SsoCompletion } from "../../../sign-in/lazy/completion.js";
import { isRetryable } from "../../../sign-in/lazy/error-text.js";
import type { LoginCompletion } from "../../../sign-in/lazy/login-completion.js";
import {
  type Account,
  identify,
  identifyUser,
  type SignedInUser,
} from "../../../sign-in/lazy/signed-in.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { type MatrixLoginHost, sessionOptions } from "./settings.js";

export class ReturnedLogin {
  readonly response: CapturedResponse;
  readonly #host: MatrixLoginHost;
  completion: LoginCompletion | SsoCompletion | undefined;
  #isIdentified = false;
  #isFinished = false;

  constructor(response: CapturedResponse, host: MatrixLoginHost) {
    this.response = response;
    this.#host = host;
  }

  /** Can be called again. @returns Undefined in a popup: the page that opened it does the rest. */
  async complete(): Promise<SignedInUser | undefined> {
    const completion = (this.completion ??= await this.#join());
    if (this.#isFinished) completion.cancel();
    completion.retry();
    const outcome = await completion.settled();
    if (outcome.state === "error") throw outcome.error;
    if (!("result" in outcome)) return outcome;
    const user = outcome.session && (await identifyExpectedUser(outcome.session, this.#host));
    this.#isIdentified = true;
    return user;
  }

  canRetry(error: unknown): boolean {
    const { outcome, canRetry = false } = this.completion ?? {};
    // Only the user ID is missing then.
    return outcome?.state === "success" ? isRetryable(error) : canRetry;
  }

  /** No other element reports the sign-in. A user whom the page might not expect is signed out. */
  finish(): void {
    this.response.isReported = this.#isFinished = true;
    this.completion?.cancel();
    const { outcome, isDeviceNamed } = this.completion ?? {};
    if (this.#isIdentified || outcome?.state !== "success") return;
    if ("result" in outcome) void outcome.session?.signOut({ notify: !isDeviceNamed });
  }

  async #join(): Promise<LoginCompletion | SsoCompletion> {
    const response = this.response;
    const chooseSession = (account?: Account) => sessionOptions(this.#host, account);
    if (response.kind === "sso") return SsoCompletion.of(response, chooseSession);
    const [{ LoginCompletion }] = await Promise.all([loadCompletion(), loadSession()]);
    return LoginCompletion.of(response, chooseSession);
  }
}

/**
 * If the page expects a user, the sign-in isn't complete before the homeserver has confirmed it.
 *
 * @throws {LoginError} `user_mismatch`: another user has signed in; the tokens are revoked.
 *   `network_error` and its like: the session is kept, to ask the homeserver again.
 */
export async function identifyExpectedUser(
  session: OidcSession,
  { userId: expected }: MatrixLoginHost,
): Promise<SignedInUser> {
  const { HomeserverClient } = await loadSession();
  const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
  const user = { session, client };
  if (!expected) {
    await identifyUser(session, client);
    return user;
  }
  try {
    await identify(session, client);
  } catch (error) {
    throw asLoginError(error);
  }
  const { userId } = session.user;
  if (userId === expected) return user;
  await session.signOut();
  throw new LoginError("user_mismatch", `${userId} signed in instead of ${expected}`);
}
