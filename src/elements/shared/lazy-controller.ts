import type { OidcFlowError } from "../../core/oidc/errors.js";
import { asFlowError } from "./flow-error.js";
import type { Load } from "./lazy-part.js";

/** Creates an element's controller as soon as its code is loaded. */
export class LazyController<Part, Controller> {
  readonly #load: Load<Part>;
  readonly #create: (part: Part) => Controller;
  readonly #changed: (error?: OidcFlowError) => void;
  #loading: Promise<Part> | undefined;
  /** Undefined until its code is loaded. */
  value: Controller | undefined;
  /** Why the last load failed. */
  error: OidcFlowError | undefined;

  /** @param changed Called when a load begins, succeeds or is cancelled, and with the error if it fails. */
  constructor(
    load: Load<Part>,
    create: (part: Part) => Controller,
    changed: (error?: OidcFlowError) => void,
  ) {
    this.#load = load;
    this.#create = create;
    this.#changed = changed;
  }

  get loading(): boolean {
    return !!this.#loading && !this.value;
  }

  /** Loads the code, if necessary. Undefined if that fails or is cancelled. */
  async load(): Promise<Controller | undefined> {
    if (this.value) return this.value;
    this.error = undefined;
    const loading = (this.#loading ??= this.#load());
    this.#changed();
    try {
      const part = await loading;
      if (loading !== this.#loading) return undefined;
      this.value ??= this.#create(part);
      this.#changed();
    } catch (error) {
      if (loading !== this.#loading) return undefined;
      this.#loading = undefined;
      this.#changed((this.error = asFlowError(error)));
    }
    return this.value;
  }

  /** Forgets an error, and creates no controller even if the code arrives. */
  cancel(): void {
    if (this.value) return;
    this.#loading = this.error = undefined;
    this.#changed();
  }
}
