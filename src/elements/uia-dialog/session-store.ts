import { ContextProvider } from "@lit/context";
import { uiaSessionContext, type UiaSession } from "../../context/uia-session-context.js";
import type { UiaDialogElement } from "./uia-dialog.js";

/** The session that views see: the dialog's own, and others by context. */
export class SessionStore {
  readonly #host: UiaDialogElement;
  readonly #provider: ContextProvider<typeof uiaSessionContext, UiaDialogElement>;
  #value: UiaSession | undefined;

  constructor(host: UiaDialogElement) {
    this.#host = host;
    this.#provider = providerOf(host);
  }

  get value(): UiaSession | undefined {
    return this.#value;
  }

  set(value: UiaSession | undefined): void {
    this.#value = value;
    this.#provider.setValue(value);
    this.#host.requestUpdate();
  }

  /** Changes what there is; before there is anything, nothing. */
  update(change: Partial<UiaSession>): void {
    if (this.#value) this.set({ ...this.#value, ...change });
  }
}

const providers = new WeakMap<
  UiaDialogElement,
  ContextProvider<typeof uiaSessionContext, UiaDialogElement>
>();

/** One for an element, however often it runs. */
function providerOf(
  host: UiaDialogElement,
): ContextProvider<typeof uiaSessionContext, UiaDialogElement> {
  let provider = providers.get(host);
  if (!provider) {
    provider = new ContextProvider(host, { context: uiaSessionContext });
    providers.set(host, provider);
  }
  return provider;
}
