import { OidcError } from "../oauth/error-codes.js";
import { OidcFlowError } from "../oauth/flow-error.js";

/** A module that a page loads on first use. Most pages of signed-in users never load it. */
export class LazyModule<Module> {
  readonly #import: () => Promise<Module>;
  #loading: Promise<Module> | undefined;
  #module: Module | undefined;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /**
   * Loads the module once. A load that failed is tried again.
   *
   * @throws {OidcFlowError} `LoadFailed` (`load_failed`); `RefreshTokenFailed` (`aborted`) if `signal`
   *   ends the wait.
   */
  async load(signal?: AbortSignal): Promise<Module> {
    this.#loading ??= this.#import().then(
      (module) => (this.#module = module),
      (cause: unknown) => {
        this.#loading = undefined;
        throw new OidcFlowError(OidcError.LoadFailed, "load_failed", cause);
      },
    );
    if (!signal) return this.#loading;
    const leaving = new AbortController();
    const aborted = new Promise<never>((_, reject) => {
      const leave = (): void =>
        reject(new OidcFlowError(OidcError.RefreshTokenFailed, "aborted", signal.reason));
      signal.addEventListener("abort", leave, { signal: leaving.signal });
    });
    return Promise.race([this.#loading, aborted]).finally(() => leaving.abort());
  }

  /** Undefined until it is loaded. */
  get module(): Module | undefined {
    return this.#module;
  }

  /** For service workers, where `import()` always fails, and for code that imports it anyway. */
  provide(module: Module): void {
    this.#module = module;
    this.#loading = Promise.resolve(module);
  }
}
