const CHECK_INTERVAL_MS = 250;

/**
 * A popup that `Cross-Origin-Opener-Policy` isolates from this page looks closed as soon as its
 * page arrives (https://html.spec.whatwg.org/#cross-origin-opener-policies); in Chromium on a busy
 * machine, up to this time later. A user keeps the page open for longer. Remove it when browsers
 * distinguish a closed popup from an isolated one.
 */
const CUT_OFF_SETTLE_MS = 500;

/**
 * A popup with a page of another origin. This detects that it was closed. A popup that looks closed
 * before its page has arrived, which can take long, counts as isolated.
 */
export class PopupWindow {
  readonly window: Window;
  /** Whether a page that can isolate the popup is loading. */
  #loading: boolean;
  #arrivedAt: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #onClosed: () => void;

  /** Call it while handling a click. @returns Undefined if the browser blocks the popup. */
  static open(url: string, onClosed: () => void): PopupWindow | undefined {
    const opened = window.open(url, "_blank", "popup,width=520,height=720");
    return opened ? new PopupWindow(opened, url !== "", onClosed) : undefined;
  }

  private constructor(opened: Window, loading: boolean, onClosed: () => void) {
    this.window = opened;
    this.#loading = loading;
    this.#onClosed = onClosed;
    this.#timer = setInterval(this.#check, CHECK_INTERVAL_MS);
  }

  /**
   * Removes the popup's opener, because the popup could use it to navigate this page. Most browsers
   * then don't allow this page to close the popup or to bring it to the front. Call it before
   * `go()`.
   */
  disown(): void {
    this.window.opener = null;
  }

  /** Opens a URL in the popup, which shows this page's text until then. */
  go(url: string): void {
    this.#loading = true;
    this.window.location.replace(url);
  }

  /**
   * Closes the popup, if the browser allows it. @param onClosed Called when the popup is closed,
   * even if the user closes it.
   */
  close(onClosed?: () => void): void {
    this.#loading = false;
    this.window.close();
    if (!onClosed) return this.#stopWatching();
    this.#onClosed = onClosed;
    this.#check();
  }

  #stopWatching(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    if (this.#timer === undefined) return;
    if (this.window.closed) {
      this.#stopWatching();
      if (!this.#loading) this.#onClosed();
    } else if (this.#loading && !isAboutBlank(this.window)) {
      const now = performance.now();
      this.#arrivedAt ??= now;
      this.#loading = now - this.#arrivedAt < CUT_OFF_SETTLE_MS;
    }
  };
}

function isAboutBlank({ location }: Window): boolean {
  try {
    return location.href === "about:blank";
  } catch {
    return false;
  }
}
