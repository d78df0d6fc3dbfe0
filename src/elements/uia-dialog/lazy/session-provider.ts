import { ContextConsumer, ContextProvider } from "@lit/context";
import { type AuthClient, authClientContext } from "../../../context/auth-client.js";
import { type UiaSession, uiaSessionContext } from "../../../context/uia-session.js";
import type { InteractiveAuth } from "../../../core/index.js";
import type { BusyTracker } from "../../../core/uia/attempt.js";
import type { DialogHost, RequestPhoneToken } from "./host.js";

/**
 * Provides the session: directly to the dialog's views, and through the context to custom views.
 * Fires "change" events. Each element has only one provider for all its runs, because a consumer
 * without a provider leaves data behind in the page.
 */
export class UiaSessionProvider extends EventTarget {
  static readonly #all = new WeakMap<DialogHost, UiaSessionProvider>();
  readonly #host: DialogHost;
  readonly #session: ContextProvider<typeof uiaSessionContext, DialogHost>;
  /** Has no value while the dialog is not in a document. */
  readonly #client: ContextConsumer<typeof authClientContext, DialogHost>;

  static of(host: DialogHost): UiaSessionProvider {
    const provider = this.#all.get(host) ?? new UiaSessionProvider(host);
    this.#all.set(host, provider);
    return provider;
  }

  private constructor(host: DialogHost) {
    super();
    this.#host = host;
    this.#session = new ContextProvider(host, { context: uiaSessionContext });
    this.#client = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    // If the dialog moves to a place without a client, it must not keep the old one.
    host.addController({ hostDisconnected: () => void (this.#client.value = undefined) });
  }

  get client(): AuthClient | undefined {
    return this.#host.client ?? this.#client.value;
  }

  get value(): UiaSession | undefined {
    return this.#session.value;
  }

  set(value: UiaSession | undefined): void {
    try {
      this.#session.setValue(value);
    } catch (error) {
      // An error in a custom view must not prevent the dialog from closing.
      reportError(error);
    }
    this.#host.requestUpdate();
    this.dispatchEvent(new Event("change"));
  }

  update(change: Partial<UiaSession>): void {
    if (this.value) this.set({ ...this.value, ...change });
  }
}

/** The target of the views' actions. */
export interface SessionParts {
  readonly auth: InteractiveAuth<unknown>;
  readonly requestPhoneToken: RequestPhoneToken;
  readonly firstAttempt: number;
  readonly session: UiaSessionProvider;
  /** Changes members of the session, unless the authentication is over. */
  readonly update: (change: Partial<UiaSession>) => void;
  readonly busy: BusyTracker;
  readonly cancel: (reason?: unknown) => void;
  readonly sent: () => void;
  readonly over: AbortSignal;
}
