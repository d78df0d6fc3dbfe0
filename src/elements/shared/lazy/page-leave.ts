import type { ReactiveController } from "lit";
import type { AuthHost } from "../auth-host.js";

/** If the page is still here after this time, the user has stopped the navigation, or the page navigates itself. */
const LEAVE_TIMEOUT_MS = 10_000;

/** Notices that a page that was about to be left is still here, or here again after "back". */
export class PageLeave implements ReactiveController {
  readonly #stayed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthHost, stayed: () => void) {
    this.#stayed = stayed;
    host.addController(this);
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => this.#stayed(), LEAVE_TIMEOUT_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  hostConnected(): void {
    window.addEventListener("pageshow", this.#onPageShow);
  }

  hostDisconnected(): void {
    window.removeEventListener("pageshow", this.#onPageShow);
  }

  /** The browser may restore a page as it was left: busy. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) this.#stayed();
  };
}
