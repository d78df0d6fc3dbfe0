import type { OidcFlowError } from "../../core/oauth/errors.js";
import { asFlowError } from "./flow-error.js";
import type { Load } from "./lazy-part.js";
import { pageScriptsDone } from "./page-lifecycle.js";

interface Host extends EventTarget {
  /** Called when a load begins, succeeds, fails or is cancelled. */
  stateChanged(): void;
}

/** Creates an element's controller as soon as its code is loaded. */
export class LazyController<Part, Controller> {
  readonly #host: Host;
  readonly #load: Load<Part>;
  readonly #create: (part: Part) => Controller;
  readonly #ErrorEvent: (new (error: OidcFlowError) => Event) | undefined;
  #loading: Promise<Part> | undefined;
  /** Undefined until its code is loaded. */
  value: Controller | undefined;
  /** Why the last load failed. */
  error: OidcFlowError | undefined;

  /** @param ErrorEvent Fired at the host when a load fails. */
  constructor(
    host: Host,
    load: Load<Part>,
    create: (part: Part) => Controller,
    ErrorEvent?: new (error: OidcFlowError) => Event,
  ) {
    this.#host = host;
    this.#load = load;
    this.#create = create;
    this.#ErrorEvent = ErrorEvent;
  }

  get loading(): boolean {
    return !!this.#loading && !this.value;
  }

  /** Loads the code, if necessary. Undefined if that fails or is cancelled. */
  async load(): Promise<Controller | undefined> {
    if (this.value) return this.value;
    this.error = undefined;
    const loading = (this.#loading ??= this.#load());
    this.#host.stateChanged();
    try {
      const part = await loading;
      if (loading !== this.#loading) return undefined;
      this.value ??= this.#create(part);
      this.#host.stateChanged();
    } catch (error) {
      if (loading !== this.#loading) return undefined;
      this.#loading = undefined;
      void this.#fail(asFlowError(error));
    }
    return this.value;
  }

  async #fail(error: OidcFlowError): Promise<void> {
    this.error = error;
    this.#host.stateChanged();
    await pageScriptsDone();
    // A retry may already have begun.
    if (this.#ErrorEvent && error === this.error) {
      this.#host.dispatchEvent(new this.#ErrorEvent(error));
    }
  }

  /** Forgets an error, and creates no controller even if the code arrives. */
  cancel(): void {
    if (this.value) return;
    this.#loading = this.error = undefined;
    this.#host.stateChanged();
  }
}
