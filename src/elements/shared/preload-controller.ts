import type { ReactiveController, ReactiveControllerHost } from "lit";
import { whenIdle } from "./page-lifecycle.js";

/**
 * Detects that a user may soon use an element: it is visible and the page is idle, or it is hovered or
 * focused. Work done then is ready before the click.
 */
export class PreloadController implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #run: () => void;
  #observer: IntersectionObserver | undefined;
  #cancelPlan: () => void = () => undefined;

  /** @param run May be called several times. */
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

  /** Runs again after a pause, if the element was seen: the user may still be typing. */
  runAfter(pauseMs: number): void {
    this.#cancelPlan();
    if (this.#observer || !this.#host.isConnected) return;
    const timer = setTimeout(this.#run, pauseMs);
    this.#cancelPlan = (): void => clearTimeout(timer);
  }
}
