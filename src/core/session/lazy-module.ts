import { LONG_TIMEOUT_MS, withTimeout } from "../http/fetch.js";
import { OidcFlowError } from "../oauth/flow-error.js";

/** A module that a page loads on first use. Most pages of signed-in users never load it. */
export class LazyModule<Module> {
  readonly #import: () => Promise<Module>;
  #loading: Promise<Module> | undefined;
  /** Undefined until it is loaded. */
  module: Module | undefined;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /**
   * Loads the module once. A load that failed is tried again, also by a call that joined it: it might
   * have begun without a network. A call waits as long as for a request.
   *
   * @throws {OidcFlowError} `LoadFailed` (`load_failed`); `RefreshTokenFailed` (`aborted`) if `signal`
   *   ends the wait.
   */
  async load(signal?: AbortSignal): Promise<Module> {
    const load = () => this.#loading?.catch(() => this.#begin()) ?? this.#begin();
    try {
      return await withTimeout(load, "the app", { signal, timeoutMs: LONG_TIMEOUT_MS });
    } catch (cause) {
      if (!signal?.aborted)
        throw new OidcFlowError("Part of the library could not be loaded", "load_failed", cause);
      throw new OidcFlowError("Failed to refresh token", "aborted", signal.reason);
    }
  }

  #begin(): Promise<Module> {
    return (this.#loading ??= this.#import().then(
      (module) => (this.module = module),
      (cause: unknown) => {
        this.#loading = undefined;
        throw cause;
      },
    ));
  }

  /** For service workers, where `import()` always fails, and for code that imports it anyway. */
  provide(module: Module): void {
    this.module = module;
    this.#loading = Promise.resolve(module);
  }
}
