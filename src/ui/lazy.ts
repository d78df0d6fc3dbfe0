import {
  html,
  nothing,
  type ReactiveController,
  type ReactiveControllerHost,
  type TemplateResult,
} from "lit";
import { asFlowError, OidcError, OidcFlowError } from "../core/oauth/errors.js";
import type { LocalizeController } from "./localize.js";
import { pageScriptsDone, whenIdle } from "./page.js";

/** @throws {OidcFlowError} `General` (`load_failed`). */
export type Load<Part> = () => Promise<Part>;

/**
 * A part of the library that is loaded after the first paint.
 *
 * Keeps the promise, because even for a loaded module each `import()` costs browsers extra tasks. A
 * load that failed is tried again.
 */
export function lazyPart<Part extends object>(load: Load<Part>): Load<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw new OidcFlowError(OidcError.General, "load_failed", cause);
    });
    // Callers that preload the part do not wait for it.
    loading.catch(() => undefined);
    return loading;
  };
}

interface LazyHost extends EventTarget {
  /** Called when a load starts, succeeds, fails or is cancelled. */
  stateChanged(): void;
}

/** Creates an element's controller as soon as its code is loaded. */
export class LazyController<Part, Controller> {
  readonly #host: LazyHost;
  readonly #load: Load<Part>;
  readonly #create: (part: Part) => Controller;
  readonly #ErrorEvent: (new (error: OidcFlowError) => Event) | undefined;
  #loading: Promise<Part> | undefined;
  /** The error that the page shows itself. */
  #shownByPage: OidcFlowError | undefined;
  value: Controller | undefined;
  error: OidcFlowError | undefined;

  /** @param ErrorEvent Fired at the host when a load fails; if it is cancelled, the page shows the error itself. */
  constructor(
    host: LazyHost,
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
    // A retry might already have started.
    if (!this.#ErrorEvent || error !== this.error) return;
    if (this.#host.dispatchEvent(new this.#ErrorEvent(error))) return;
    this.#shownByPage = error;
    this.#host.stateChanged();
  }

  /** @param retry For an element without a retry button. */
  renderError(localize: LocalizeController, retry?: () => unknown): TemplateResult {
    const text = localize.term("errorLoadFailed");
    return html`${
      this.error === this.#shownByPage
        ? nothing
        : html`<div id="error" class="error" part="error" role="alert">${text}</div>`
    }
    ${
      retry
        ? html`<button part="retry" type="button" @click=${retry}>
            ${localize.term("tryAgain")}
          </button>`
        : nothing
    }`;
  }

  /** Forgets an error, and creates no controller even if the code arrives. */
  cancel(): void {
    if (this.value) return;
    this.#loading = this.error = undefined;
    this.#host.stateChanged();
  }
}

/**
 * Detects that a user might soon use an element: it is visible and the page is idle, or it is
 * hovered or focused. Work done then is ready before the click.
 */
export class PreloadController implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #run: () => void;
  #observer: IntersectionObserver | undefined;
  #cancelPlan: () => void = () => undefined;

  /** @param run Can be called several times. */
  constructor(host: ReactiveControllerHost & HTMLElement, run: () => void) {
    this.#host = host;
    this.#run = run;
    host.addController(this);
    host.addEventListener("pointerenter", run);
    host.addEventListener("focusin", run);
  }

  hostConnected(): void {
    const { IntersectionObserver } = globalThis as Partial<typeof globalThis>;
    if (!IntersectionObserver) {
      this.#cancelPlan = whenIdle(this.#run);
      return;
    }
    this.#observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.#observer?.disconnect();
      this.#observer = undefined;
      this.#cancelPlan = whenIdle(this.#run);
    });
    this.#observer.observe(this.#host);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#cancelPlan();
  }

  /** Runs again after a pause, if the element was visible: the user might still be typing. */
  runAfter(pauseMs: number): void {
    this.#cancelPlan();
    if (this.#observer || !this.#host.isConnected) return;
    const timer = setTimeout(this.#run, pauseMs);
    this.#cancelPlan = (): void => clearTimeout(timer);
  }
}
