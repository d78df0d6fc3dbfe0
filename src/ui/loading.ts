import type { ReactiveControllerHost, TemplateResult } from "lit";
import { asFlowError, OidcFlowError } from "../core/oauth/flow-error.js";
import type { AuthElement } from "./element.js";
import { ErrorBox } from "./error-box.js";
import { pageScriptsDone, whenIdle } from "./page.js";

/** Loads a part. */
export interface Load<Part> {
  /** @throws {OidcFlowError} `LoadFailed`. */
  (): Promise<Part>;
  /** Undefined until it is loaded. A page's entry that contains the part sets it. */
  loaded?: Part;
}

/**
 * A part of the library that is loaded after the first paint.
 *
 * Keeps the promise, because even for a loaded module each `import()` costs browsers extra tasks. A
 * load that failed is tried again.
 */
export function lazyPart<Part extends object>(load: () => Promise<Part>): Load<Part> {
  let loading: Promise<Part> | undefined;
  const loadPart: Load<Part> = () => {
    loading ??= load().then(
      (part) => (loadPart.loaded = part),
      (cause: unknown) => {
        loading = undefined;
        throw new OidcFlowError("Part of the library could not be loaded", "load_failed", cause);
      },
    );
    // Callers that preload the part do not wait for it.
    loading.catch(() => undefined);
    return loading;
  };
  return loadPart;
}

/**
 * The part of an element's code that is loaded after the first paint: its behavior and its view.
 */
export interface LoadedPart<Controller> {
  readonly controller: Controller;
  readonly render: () => unknown;
}

/** The file with an element's view. */
interface ViewPart<Host, Controller> {
  readonly create: (host: Host) => LoadedPart<Controller>;
}

/** Creates an element's controller and view as soon as their code is loaded. */
export class LazyController<Host extends AuthElement, Controller> {
  readonly #host: Host;
  readonly #load: Load<ViewPart<Host, Controller>>;
  readonly #ErrorEvent: (new (error: OidcFlowError) => Event) | undefined;
  readonly #box: ErrorBox;
  #loading: Promise<ViewPart<Host, Controller>> | undefined;
  #loaded: LoadedPart<Controller> | undefined;
  error: OidcFlowError | undefined;

  /**
   * @param ErrorEvent The event that the host fires when a load fails. If it is cancelled, the page
   * shows the error itself.
   */
  constructor(
    host: Host,
    load: Load<ViewPart<Host, Controller>>,
    ErrorEvent?: new (error: OidcFlowError) => Event,
  ) {
    this.#host = host;
    this.#box = new ErrorBox(host);
    this.#load = load;
    this.#ErrorEvent = ErrorEvent;
  }

  /** Undefined until the code is loaded. */
  get value(): Controller | undefined {
    return this.#loaded?.controller;
  }

  get loading(): boolean {
    return !!this.#loading && !this.#loaded;
  }

  /** Loads the code, if necessary. Undefined if that fails or is cancelled. */
  async load(): Promise<Controller | undefined> {
    if (this.value) return this.value;
    this.error = undefined;
    const loading = (this.#loading ??= this.#load());
    this.#host.stateChanged();
    try {
      const part = await loading;
      // The load might have been cancelled.
      if (loading === this.#loading) this.#loaded ??= part.create(this.#host);
      this.#host.stateChanged();
    } catch (error) {
      if (loading !== this.#loading) return undefined;
      this.#loading = undefined;
      void this.#fail(asFlowError(error));
    }
    return this.value;
  }

  /** Loads the code early. A failure is not reported, because no user waits for it. */
  async loadEarly(): Promise<Controller | undefined> {
    const part = await this.#load().catch(() => undefined);
    return part && this.load();
  }

  async #fail(error: OidcFlowError): Promise<void> {
    this.error = error;
    this.#host.stateChanged();
    await pageScriptsDone();
    // A retry might already have started.
    if (this.#ErrorEvent && error === this.error) {
      this.#box.announce(error, new this.#ErrorEvent(error));
    }
  }

  /** @param retry What the retry button calls. Null if the element has its own button. */
  render(placeholder: unknown, retry?: (() => unknown) | null): unknown {
    if (this.error) return this.renderError(retry);
    return this.#loaded ? this.#loaded.render() : placeholder;
  }

  renderError(retry: (() => unknown) | null = () => this.load()): TemplateResult {
    return this.#box.renderText(this.error, this.#host.localize.term("errorLoadFailed"), { retry });
  }

  /** Removes the error, and creates no controller even if the code arrives. */
  cancel(): void {
    if (this.value) return;
    this.#loading = this.error = undefined;
    this.#host.stateChanged();
  }
}

/**
 * Detects that a user might soon use an element: it is visible and the page is idle, or it is
 * hovered or focused. Work that starts then is finished before the click.
 *
 * @param run Can be called several times.
 * @returns Runs the function again after a pause, if the element was visible: the user might still
 *   be typing.
 */
export function preload(
  host: ReactiveControllerHost & HTMLElement,
  run: () => void,
): (pauseMs: number) => void {
  let observer: IntersectionObserver | undefined;
  let cancelPlan = (): void => undefined;
  const plan = (): void => {
    cancelPlan = whenIdle(run);
  };
  host.addEventListener("pointerenter", run);
  host.addEventListener("focusin", run);
  host.addController({
    hostConnected() {
      const { IntersectionObserver } = globalThis as Partial<typeof globalThis>;
      if (!IntersectionObserver) return plan();
      observer = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer?.disconnect();
        observer = undefined;
        plan();
      });
      observer.observe(host);
    },
    hostDisconnected() {
      observer?.disconnect();
      cancelPlan();
    },
  });
  return (pauseMs) => {
    cancelPlan();
    if (observer || !host.isConnected) return;
    const timer = setTimeout(run, pauseMs);
    cancelPlan = () => clearTimeout(timer);
  };
}
