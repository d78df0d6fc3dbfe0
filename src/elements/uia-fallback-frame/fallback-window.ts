import { OpenedWindow } from "../shared/opened-window.js";

/** What the specification has a fallback page say when it is finished. */
const DONE = "authDone";

export interface FallbackWindowListeners {
  readonly done: () => void;
  readonly closed: () => void;
}

/** A window with a page of another origin. Only what it says itself is heard. */
export class FallbackWindow {
  readonly #opened: OpenedWindow;
  readonly #origins: readonly string[];
  readonly #done: () => void;

  /**
   * @param origins Where the page may have come to when it speaks.
   * @returns Undefined where the browser does not let it open.
   */
  static open(
    url: string,
    origins: readonly string[],
    { done, closed }: FallbackWindowListeners,
  ): FallbackWindow | undefined {
    const opened = OpenedWindow.open(url, () => {
      fallback?.forget();
      closed();
    });
    const fallback = opened && new FallbackWindow(opened, origins, done);
    return fallback;
  }

  private constructor(opened: OpenedWindow, origins: readonly string[], done: () => void) {
    this.#opened = opened;
    this.#origins = origins;
    this.#done = done;
    window.addEventListener("message", this.#onMessage);
  }

  /** Closes it, where that is allowed, and hears nothing more of it. */
  close(): void {
    this.forget();
    this.#opened.close();
  }

  /** Hears nothing more of it. */
  forget(): void {
    window.removeEventListener("message", this.#onMessage);
    this.#opened.forget();
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.#opened.window || data !== DONE || !this.#origins.includes(origin)) return;
    this.#done();
  };
}
