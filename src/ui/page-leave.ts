import type { AuthElement } from "./element.js";

/**
 * If the page is still open after this time, the user has stopped the navigation, or the page
 * navigates itself.
 */
const LEAVE_TIMEOUT_MS = 10_000;

/** Runs a function each time the browser restores the page from its back/forward cache. */
export function whenRestored(host: AuthElement, run: () => void): void {
  const onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) run();
  };
  host.addController({
    hostConnected: () => window.addEventListener("pageshow", onPageShow),
    hostDisconnected: () => window.removeEventListener("pageshow", onPageShow),
  });
}

/** Detects that the user did not leave the page after all, or has returned with "Back". */
export class PageLeave {
  readonly #stayed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthElement, stayed: () => void) {
    this.#stayed = stayed;
    whenRestored(host, stayed);
  }

  begin(): void {
    this.cancel();
    this.#timer = setTimeout(this.#stayed, LEAVE_TIMEOUT_MS);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}
