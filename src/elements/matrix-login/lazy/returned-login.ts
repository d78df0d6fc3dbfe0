import type { OidcSession } from "../../../core/index.js";
import type { CapturedResponse } from "../../../sign-in/captured-response.js";
import { SsoCompletion } from "../../../sign-in/lazy/completion.js";
import type { LoginCompletion } from "../../../sign-in/lazy/login-completion.js";
import { type Account, identifyUser, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import {
  fitOf,
  mayComplete,
  type Starter,
  startedSettings,
  starterOf,
  starterOfResponse,
} from "../../../sign-in/lazy/starter.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import type { MatrixLoginElement } from "../matrix-login.js";
import { sessionOptions } from "./settings.js";

/** A sign-in that the user has returned from, for one element. */
export class ReturnedLogin {
  readonly response: CapturedResponse;
  readonly #host: MatrixLoginElement;
  readonly #starter: Starter | undefined;
  #completion: LoginCompletion | SsoCompletion | undefined;
  #isIdentified = false;
  #isClosed = false;

  constructor(response: CapturedResponse, host: MatrixLoginElement) {
    this.response = response;
    this.#host = host;
    this.#starter = starterOfResponse(response);
  }

  get fit(): ReturnType<typeof fitOf> {
    return fitOf(this.#starter, starterOf("matrix-login", this.#host));
  }

  get settings(): ReturnType<typeof startedSettings> {
    return startedSettings(this.#starter, this.#host);
  }

  get completion(): LoginCompletion | SsoCompletion | undefined {
    return this.#completion;
  }

  mayComplete(): Promise<boolean> {
    return mayComplete(this.response, () => starterOf("matrix-login", this.#host));
  }

  /** Can be called again. @returns Undefined in a popup: the page that opened it does the rest. */
  async complete(): Promise<SignedInUser | undefined> {
    const completion = (this.#completion ??= await this.#join());
    if (this.#isClosed) completion.cancel();
    completion.retry();
    const outcome = await completion.settled();
    if (outcome.state === "error") throw outcome.error;
    if (!("result" in outcome)) return outcome;
    const user = outcome.session && (await identified(outcome.session));
    this.#isIdentified = true;
    return user;
  }

  get canRetry(): boolean {
    return !!this.#completion?.canRetry;
  }

  /** No other element reports the sign-in. If its user is not known yet, it is signed out. */
  close(): void {
    this.response.isReported = this.#isClosed = true;
    this.#completion?.cancel();
    const { outcome, isDeviceNamed } = this.#completion ?? {};
    if (this.#isIdentified || outcome?.state !== "success") return;
    if ("result" in outcome) void outcome.session?.undo({ notify: !isDeviceNamed });
  }

  async #join(): Promise<LoginCompletion | SsoCompletion> {
    const { response, settings } = this;
    const chooseSession = (account?: Account) => sessionOptions(settings, account);
    if (response.kind === "sso") return SsoCompletion.of(response, chooseSession, settings.userId);
    const [{ LoginCompletion }] = await Promise.all([loadCompletion(), loadSession()]);
    return LoginCompletion.of(response, chooseSession, settings.userId);
  }
}

/** If the page expects a user, the session has the user ID already. */
export async function identified(session: OidcSession): Promise<SignedInUser> {
  const { HomeserverClient } = await loadSession();
  const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
  await identifyUser(session, client);
  return { session, client };
}
