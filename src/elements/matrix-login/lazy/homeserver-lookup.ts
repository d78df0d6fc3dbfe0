import { MatrixLoginHomeserverEvent } from "../../../events/matrix-login.js";
import { OidcError, OidcFlowError } from "../../../core/oauth/errors.js";
import { loadSession } from "../../shared/load-session.js";
import { whenIdle } from "../../shared/page-lifecycle.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import { findMethods, type FoundHomeserver } from "./find-methods.js";
import { readMethods } from "./matrix-login-settings.js";

/** Looks up the homeserver that was set or typed; while its name is still being typed, a failure waits. */
export class HomeserverLookup {
  readonly #host: MatrixLoginHost;
  #found: FoundHomeserver | undefined;
  #sought: string | undefined;
  /** Where it is not undefined, the name is still being typed. */
  #typing: { failure?: unknown } | undefined;

  constructor(host: MatrixLoginHost) {
    this.#host = host;
  }

  /** The homeserver, once it is known how one can sign in there. */
  get found(): FoundHomeserver | undefined {
    return this.#found;
  }

  /** The homeserver that was looked up last, as it was typed. */
  get sought(): string | undefined {
    return this.#sought;
  }

  forget(): void {
    this.#found = this.#sought = this.#typing = undefined;
  }

  /**
   * @returns The homeserver; undefined if another one is wanted meanwhile, or it failed while its name is being typed.
   * @throws {OidcFlowError} `homeserver_missing`; what the discovery throws.
   * @throws {LoginError} `login_not_supported`
   */
  async find(
    homeserver: string,
    signal: AbortSignal,
    { typing = false }: { readonly typing?: boolean } = {},
  ): Promise<FoundHomeserver | undefined> {
    this.#sought = homeserver;
    const attempt: { failure?: unknown } | undefined = typing ? {} : undefined;
    this.#typing = attempt;
    try {
      if (!homeserver) throw new OidcFlowError(OidcError.Misconfigured, "homeserver_missing");
      const found = await findMethods(homeserver, readMethods(this.#host), { signal });
      if (signal.aborted) return undefined;
      // It is needed when the user submits a password, and the form must not wait for it.
      if (found.methods.includes("password")) whenIdle(() => void loadSession());
      return (this.#found = found);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!attempt || attempt !== this.#typing) throw error;
      attempt.failure = error;
      return undefined;
    }
  }

  /** The name is complete: returns why it was not found, if it was not. */
  typed(): unknown {
    const failure = this.#typing?.failure;
    this.#typing = undefined;
    return failure;
  }

  /** Tells the page what was found. */
  announce(): void {
    if (!this.found) return;
    const { homeserver, homeserverUrl, methods, flows } = this.found;
    const detail = { homeserver, homeserverUrl, methods, flows };
    this.#host.dispatchEvent(new MatrixLoginHomeserverEvent(detail));
    this.#host.requestUpdate();
  }
}
