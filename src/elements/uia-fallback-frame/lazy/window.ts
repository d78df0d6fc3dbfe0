import { PopupWindow } from "../../../sign-in/lazy/popup.js";

/** The message that a finished fallback page posts, by the specification. */
const DONE = "authDone";

export interface FallbackWindowListeners {
  readonly done: () => void;
  readonly closed: () => void;
}

/** A window with a page of another origin. Only messages from that window are accepted. */
export class FallbackWindow {
  readonly #opened: PopupWindow;
  readonly #origins: readonly string[];
  readonly #done: () => void;

  /**
   * @param origins The origins that the page may be on when it posts its message.
   * @returns Undefined if the browser blocks the popup.
   */
  static open(
    url: string,
    origins: readonly string[],
    { done, closed }: FallbackWindowListeners,
  ): FallbackWindow | undefined {
    const opened = PopupWindow.open(url, () => {
      fallback?.forget();
      closed();
    });
    const fallback = opened && new FallbackWindow(opened, origins, done);
    return fallback;
  }

  private constructor(opened: PopupWindow, origins: readonly string[], done: () => void) {
    this.#opened = opened;
    this.#origins = origins;
    this.#done = done;
    window.addEventListener("message", this.#onMessage);
  }

  /** Closes the window, if the browser allows it, and stops listening to it. */
  close(): void {
    this.forget();
    this.#opened.close();
  }

  forget(): void {
    window.removeEventListener("message", this.#onMessage);
    this.#opened.forget();
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.#opened.window || data !== DONE || !this.#origins.includes(origin)) return;
    this.#done();
  };
}
