import { ContextConsumer, ContextProvider } from "@lit/context";
import { authClientContext } from "../../context/auth-client-context.js";
import { uiaSessionContext } from "../../context/uia-session-context.js";
import type { UiaDialogElement } from "./uia-dialog.js";

/**
 * What a dialog gives by context, and takes: once for an element, however often it runs. Whoever waits
 * for a provider that never comes leaves a trace in the page.
 */
export class DialogContexts {
  static readonly #all = new WeakMap<UiaDialogElement, DialogContexts>();
  readonly session: ContextProvider<typeof uiaSessionContext, UiaDialogElement>;
  /** Without a value while the dialog is on no page. */
  readonly client: ContextConsumer<typeof authClientContext, UiaDialogElement>;

  static of(host: UiaDialogElement): DialogContexts {
    const contexts = this.#all.get(host) ?? new DialogContexts(host);
    this.#all.set(host, contexts);
    return contexts;
  }

  private constructor(host: UiaDialogElement) {
    this.session = new ContextProvider(host, { context: uiaSessionContext });
    this.client = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    // Where nobody provides one, that of another place is none.
    host.addController({ hostDisconnected: () => void (this.client.value = undefined) });
  }
}
