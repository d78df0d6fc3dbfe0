import { ContextConsumer, ContextProvider } from "@lit/context";
import { authClientContext } from "../../../context/auth-client-context.js";
import { uiaSessionContext } from "../../../context/uia-session-context.js";
import type { UiaDialogElement } from "../uia-dialog.js";

/**
 * The contexts that a dialog provides and consumes: made once per element, however often it runs, because
 * each consumer whose provider never comes leaves something behind in the page.
 */
export class DialogContexts {
  static readonly #all = new WeakMap<UiaDialogElement, DialogContexts>();
  readonly session: ContextProvider<typeof uiaSessionContext, UiaDialogElement>;
  /** Has no value while the dialog is not in a document. */
  readonly client: ContextConsumer<typeof authClientContext, UiaDialogElement>;

  static of(host: UiaDialogElement): DialogContexts {
    const contexts = this.#all.get(host) ?? new DialogContexts(host);
    this.#all.set(host, contexts);
    return contexts;
  }

  private constructor(host: UiaDialogElement) {
    this.session = new ContextProvider(host, { context: uiaSessionContext });
    this.client = new ContextConsumer(host, { context: authClientContext, subscribe: true });
    // If the dialog moves to where no client is provided, it must not keep the old one.
    host.addController({ hostDisconnected: () => void (this.client.value = undefined) });
  }
}
