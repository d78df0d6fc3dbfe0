import type { AuthElement } from "./element.js";

/** After this time, the user has stopped the navigation, or the page navigates itself. */
const LEAVE_TIMEOUT_MS = 10_000;

/** Runs a function each time the browser shows the page again from its cache, in the state it was left in. */
export function whenRestored(host: AuthElement, run: () => void): void {
  const onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) run();
  };
  host.addController({
    hostConnected: () => window.addEventListener("pageshow", onPageShow),
    hostDisconnected: () => window.removeEventListener("pageshow", onPageShow),
  });
}

/** Notices that a page that was about to be left is still here, or here again after "back". */
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
