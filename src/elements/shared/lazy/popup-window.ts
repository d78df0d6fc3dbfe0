const CHECK_INTERVAL_MS = 500;

/**
 * A popup that `Cross-Origin-Opener-Policy` has cut off from this page looks closed at once although it
 * is open. One that a user closes stays open longer than this.
 */
const CUT_OFF_MS = 3000;

const FEATURES = "popup,width=520,height=720";

/** A popup with a page of another origin, watched for being closed. */
export class PopupWindow {
  readonly window: Window;
  #openedAt = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #onClosed: () => void;

  /**
   * Call it while handling a click.
   *
   * @param url Empty if `go()` sets it later.
   * @param onClosed Called when the popup was closed, as far as can be detected.
   * @returns Undefined if the browser blocks the popup.
   */
  static open(url: string, onClosed: () => void): PopupWindow | undefined {
    // Without "noopener": the popup posts messages to its opener.
    const opened = window.open(url, "_blank", FEATURES);
    return opened ? new PopupWindow(opened, onClosed) : undefined;
  }

  private constructor(opened: Window, onClosed: () => void) {
    this.window = opened;
    this.#onClosed = onClosed;
    this.#timer = setInterval(this.#check, CHECK_INTERVAL_MS);
  }

  /** Sends the popup to a URL; until then it shows this page's own text. */
  go(url: string): void {
    this.#openedAt = performance.now();
    this.window.location.replace(url);
  }

  /** Closes the popup, if the browser allows it. */
  close(): void {
    this.forget();
    this.window.close();
  }

  /** Stops watching the popup. */
  forget(): void {
    clearInterval(this.#timer);
  }

  readonly #check = (): void => {
    if (!this.window.closed) return;
    this.forget();
    if (performance.now() - this.#openedAt > CUT_OFF_MS) this.#onClosed();
  };
}
