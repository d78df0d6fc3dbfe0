import type { UiaSession } from "../../../context/uia-session-context.js";
import { DialogContexts } from "./dialog-contexts.js";
import type { UiaDialogElement } from "../uia-dialog.js";

/** The session that views see: the dialog's own directly, others by context. Fires "change" events. */
export class CurrentSession extends EventTarget {
  readonly #host: UiaDialogElement;
  readonly #provider: DialogContexts["session"];
  #value: UiaSession | undefined;

  constructor(host: UiaDialogElement) {
    super();
    this.#host = host;
    this.#provider = DialogContexts.of(host).session;
  }

  get value(): UiaSession | undefined {
    return this.#value;
  }

  set(value: UiaSession | undefined): void {
    this.#value = value;
    try {
      this.#provider.setValue(value);
    } catch (error) {
      // A fault of the page's own view must not keep the dialog from its end.
      reportError(error);
    }
    this.#host.requestUpdate();
    this.dispatchEvent(new Event("change"));
  }

  /** Changes members of the session, if there is one. */
  update(change: Partial<UiaSession>): void {
    if (this.#value) this.set({ ...this.#value, ...change });
  }
}
