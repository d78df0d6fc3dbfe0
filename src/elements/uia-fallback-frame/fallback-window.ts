/** What the specification has a fallback page say when it is finished. */
const DONE = "authDone";

const LOOK_MS = 500;

/**
 * A window that is cut off from this page by `Cross-Origin-Opener-Policy` looks closed at once, though
 * it is open. One that a person closes is open for longer.
 */
const CUT_OFF_MS = 3000;

const FEATURES = "popup,width=520,height=720";

export interface FallbackWindowListeners {
  readonly done: () => void;
  readonly closed: () => void;
}

/** A window with a page of another origin. Only what it says itself is heard. */
export class FallbackWindow {
  readonly #window: Window;
  readonly #origins: readonly string[];
  readonly #listeners: FallbackWindowListeners;
  readonly #openedAt = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;

  /**
   * @param origins Where the page may have come to when it speaks.
   * @returns Undefined where the browser does not let it open.
   */
  static open(
    url: string,
    origins: readonly string[],
    listeners: FallbackWindowListeners,
  ): FallbackWindow | undefined {
    // With its opener, which it speaks to: "noopener" would silence it.
    const opened = window.open(url, "_blank", FEATURES);
    return opened ? new FallbackWindow(opened, origins, listeners) : undefined;
  }

  private constructor(
    opened: Window,
    origins: readonly string[],
    listeners: FallbackWindowListeners,
  ) {
    this.#window = opened;
    this.#origins = origins;
    this.#listeners = listeners;
    window.addEventListener("message", this.#onMessage);
    this.#timer = setInterval(this.#look, LOOK_MS);
  }

  /** Closes it, where that is allowed, and hears nothing more of it. */
  close(): void {
    this.#forget();
    this.#window.close();
  }

  #forget(): void {
    window.removeEventListener("message", this.#onMessage);
    clearInterval(this.#timer);
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source !== this.#window || data !== DONE || !this.#origins.includes(origin)) return;
    this.#listeners.done();
  };

  readonly #look = (): void => {
    if (!this.#window.closed) return;
    this.#forget();
    if (performance.now() - this.#openedAt > CUT_OFF_MS) this.#listeners.closed();
  };
}
