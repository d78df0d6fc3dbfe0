const CHECK_INTERVAL_MS = 250;

/**
 * A popup that `Cross-Origin-Opener-Policy` cuts off from this page looks closed as soon as its page arrives; in
 * Chromium up to this time later, on a busy machine. A user leaves the page open for longer.
 */
const SETTLE_MS = 500;

/** So a popup that looks closed before its page has arrived may have been cut off, unless that took this long. */
const CUT_OFF_MS = 3000;

const FEATURES = "popup,width=520,height=720";

/** A popup with a page of another origin, watched for being closed. */
export class PopupWindow {
  readonly window: Window;
  #openedAt = performance.now();
  /** Whether a page is on its way that may yet cut the popup off. */
  #loading: boolean;
  /** When that page was first seen. */
  #arrivedAt: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #onClosed: () => void;

  /**
   * Call it while handling a click. The popup has an opener until {@link disown}.
   *
   * @param url Empty if `go()` sets it later.
   * @param onClosed Called when the popup was closed, as far as can be detected.
   * @returns Undefined if the browser blocks the popup.
   */
  static open(url: string, onClosed: () => void): PopupWindow | undefined {
    const opened = window.open(url, "_blank", FEATURES);
    return opened ? new PopupWindow(opened, url !== "", onClosed) : undefined;
  }

  private constructor(opened: Window, loading: boolean, onClosed: () => void) {
    this.window = opened;
    this.#loading = loading;
    this.#onClosed = onClosed;
    this.#timer = setInterval(this.#check, CHECK_INTERVAL_MS);
  }

  /**
   * Takes its opener from the popup, which could navigate this page with it. Most browsers then no longer let this
   * page close the popup, or bring it to the front. Call it before `go()`.
   */
  disown(): void {
    this.window.opener = null;
  }

  /** Sends the popup to a URL; until then it shows this page's own text. */
  go(url: string): void {
    this.#openedAt = performance.now();
    this.#loading = true;
    this.window.location.replace(url);
  }

  /**
   * Closes the popup, if the browser allows it.
   *
   * @param onClosed Called when it is closed, be it by the user.
   */
  close(onClosed: () => void = () => undefined): void {
    this.#onClosed = onClosed;
    this.#loading = false;
    this.window.close();
    this.#check();
  }

  /** Stops watching the popup. */
  forget(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    if (this.#timer === undefined) return;
    const now = performance.now();
    if (this.window.closed) {
      this.forget();
      if (!this.#loading || now - this.#openedAt > CUT_OFF_MS) this.#onClosed();
    } else if (this.#loading && !isBlank(this.window)) {
      this.#arrivedAt ??= now;
      this.#loading = now - this.#arrivedAt < SETTLE_MS;
    }
  };
}

function isBlank({ location }: Window): boolean {
  try {
    return location.href === "about:blank";
  } catch {
    // A page of another origin.
    return false;
  }
}
