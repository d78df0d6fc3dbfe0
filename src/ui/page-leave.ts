import type { AuthElement } from "./element.js";

/**
 * If the page is still open after this time, the user has stopped the navigation, or the page
 * navigates itself.
 */
const LEAVE_TIMEOUT_MS = 10_000;

/** Detects that the user did not leave the page after all, or has returned with "Back". */
export class PageLeave {
  readonly #stayed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthElement, stayed: () => void) {
    this.#stayed = stayed;
    // "Back" restores the page from the back/forward cache.
    const onPageShow = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) stayed();
    };
    host.addController({
      hostConnected: () => window.addEventListener("pageshow", onPageShow),
      hostDisconnected: () => window.removeEventListener("pageshow", onPageShow),
    });
  }

  begin(): void {
    this.cancel();
    this.#timer = setTimeout(this.#stayed, LEAVE_TIMEOUT_MS);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
