const LOOK_MS = 500;

/**
 * A window that `Cross-Origin-Opener-Policy` has cut off from this page looks closed at once although it
 * is open. One that a user closes stays open longer than this.
 */
const CUT_OFF_MS = 3000;

const FEATURES = "popup,width=520,height=720";

/** A window with a page of another origin, watched for being closed. */
export class OpenedWindow {
  readonly window: Window;
  #openedAt = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #closed: () => void;

  /**
   * Call it while handling a click.
   *
   * @param url Empty if `go()` sets it later.
   * @param closed Called when the window was closed, as far as can be detected.
   * @returns Undefined if the browser blocks the popup.
   */
  static open(url: string, closed: () => void): OpenedWindow | undefined {
    // Without "noopener": the window posts messages to its opener.
    const opened = window.open(url, "_blank", FEATURES);
    return opened ? new OpenedWindow(opened, closed) : undefined;
  }

  private constructor(opened: Window, closed: () => void) {
    this.window = opened;
    this.#closed = closed;
    this.#timer = setInterval(this.#look, LOOK_MS);
  }

  /** Sends the popup to a URL; until then it shows this page's own text. */
  go(url: string): void {
    this.#openedAt = performance.now();
    this.window.location.replace(url);
  }

  /** Closes the window, if the browser allows it. */
  close(): void {
    this.forget();
    this.window.close();
  }

  /** Stops watching the window. */
  forget(): void {
    clearInterval(this.#timer);
  }

  readonly #look = (): void => {
    if (!this.window.closed) return;
    this.forget();
    if (performance.now() - this.#openedAt > CUT_OFF_MS) this.#closed();
  };
}
