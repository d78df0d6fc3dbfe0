const LOOK_MS = 500;

/**
 * A window that is cut off from this page by `Cross-Origin-Opener-Policy` looks closed at once, though
 * it is open. One that a person closes is open for longer.
 */
const CUT_OFF_MS = 3000;

const FEATURES = "popup,width=520,height=720";

/** A window with a page of another origin, and whether it is still there. */
export class OpenedWindow {
  readonly window: Window;
  #openedAt = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #closed: () => void;

  /**
   * To be called while a click is dealt with.
   *
   * @param url Empty: `go()` says later where to.
   * @param closed Called when it was closed, as far as can be told.
   * @returns Undefined where the browser does not let it open.
   */
  static open(url: string, closed: () => void): OpenedWindow | undefined {
    // With its opener, which it speaks to: "noopener" would silence it.
    const opened = window.open(url, "_blank", FEATURES);
    return opened ? new OpenedWindow(opened, closed) : undefined;
  }

  private constructor(opened: Window, closed: () => void) {
    this.window = opened;
    this.#closed = closed;
    this.#timer = setInterval(this.#look, LOOK_MS);
  }

  /** Leads it to an address; what it shows meanwhile is this page's own. */
  go(url: string): void {
    this.#openedAt = performance.now();
    this.window.location.replace(url);
  }

  /** Closes it, where that is allowed. */
  close(): void {
    this.forget();
    this.window.close();
  }

  /** Looks after it no longer. */
  forget(): void {
    clearInterval(this.#timer);
  }

  readonly #look = (): void => {
    if (!this.window.closed) return;
    this.forget();
    if (performance.now() - this.#openedAt > CUT_OFF_MS) this.#closed();
  };
}
