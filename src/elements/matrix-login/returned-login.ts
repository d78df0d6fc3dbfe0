import { settingsInvalid } from "../../core/oauth/errors.js";
import type { CapturedResponse } from "../../sign-in/captured-response.js";
import { timeoutOf } from "../../sign-in/login-element.js";
import { SsoCompletion } from "../../sign-in/completion.js";
import type { LoginCompletion } from "../../sign-in/login-completion.js";
import type { Account } from "../../sign-in/session-options.js";
import type { SignedInUser } from "../../sign-in/signed-in.js";
import {
  ambiguityOf,
  fitOf,
  mayComplete,
  type Starter,
  startedSettings,
  starterOf,
  starterOfResponse,
} from "../../sign-in/starter.js";
import { loadCompletion } from "../../sign-in/load-completion.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import type { Attempt } from "./attempts.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import { sessionOptions } from "./settings.js";

/** A sign-in after the user has returned from the provider, for one element. */
export class ReturnedLogin {
  readonly response: CapturedResponse;
  readonly #host: MatrixLoginElement;
  readonly #starter: Starter | undefined;
  #completion: LoginCompletion | SsoCompletion | undefined;

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

  /** One attempt to complete it. It can be made again. */
  get attempt(): Attempt {
    return {
      method: this.response.kind,
      state: { name: "completing", login: this },
      given: undefined,
      work: async (signal) => {
        const user = await this.#complete(signal);
        // This page is in a popup that the browser has not closed.
        if (!user) this.close();
        return user ?? { name: "success" };
      },
      canRetry: () => !!this.#completion?.canRetry,
    };
  }

  mayComplete(): Promise<boolean> {
    return mayComplete(this.response, () => starterOf("matrix-login", this.#host));
  }

  /**
   * @param signal Aborts if the user or the page cancels the sign-in.
   * @returns Undefined in a popup, because the page that opened it does the rest.
   */
  async #complete(signal: AbortSignal): Promise<SignedInUser | undefined> {
    const completion = (this.#completion ??= await this.#join());
    if (signal.aborted) completion.cancel();
    completion.retry();
    const outcome = await completion.settled();
    if (outcome.state === "error") throw outcome.error;
    if (!("result" in outcome)) return outcome;
    const { session, client } = outcome;
    if (!session || !client) return undefined;
    // If the page expects a user, the session already has the user ID.
    const { identifyUser } = await loadSession();
    await identifyUser(session, client);
    return { session, client };
  }

  /**
   * Ends the sign-in without success: no other element reports it, and its session is signed out.
   */
  close(): void {
    this.response.isReported = true;
    this.#completion?.cancel();
    const { outcome, isDeviceNamed } = this.#completion ?? {};
    if (outcome?.state === "success") void outcome.session?.undo({ notify: !isDeviceNamed });
  }

  async #join(): Promise<LoginCompletion | SsoCompletion> {
    const { response, settings } = this;
    const ambiguity = settings.store && ambiguityOf("matrix-login", this.#host);
    if (ambiguity) throw settingsInvalid(ambiguity);
    const chooseSession = (account?: Account) => sessionOptions(settings, account);
    const given = [chooseSession, settings.userId, timeoutOf(this.#host)] as const;
    if (response.kind === "sso") return SsoCompletion.of(response, ...given);
    const [{ LoginCompletion }] = await Promise.all([loadCompletion(), loadSession()]);
    return LoginCompletion.of(response, ...given);
  }
}
