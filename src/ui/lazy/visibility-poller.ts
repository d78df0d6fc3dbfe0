import { MAX_TIMER_MS } from "../../core/http/wait.js";

const DEFAULT_INTERVAL_MS = 5000;

/** The minimum time between polls when the user returns to the page. */
const COOLDOWN_MS = 1500;

/**
 * Polls at intervals while the page is visible, and as soon as the user returns to it or the
 * browser is online again. The next interval starts when the response has arrived, so that polls
 * never overlap.
 */
export class VisibilityPoller {
  readonly #poll: () => Promise<void>;
  readonly #intervalMs: number;
  readonly #stopped = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #polling = false;
  #lastMs = -Infinity;

  /**
   * @param intervalMs `Infinity`: only when the user returns. Invalid values become the default.
   */
  constructor(poll: () => Promise<void>, intervalMs: number) {
    this.#poll = poll;
    this.#intervalMs = intervalMs > 0 ? intervalMs : DEFAULT_INTERVAL_MS;
    const { signal } = this.#stopped;
    document.addEventListener("visibilitychange", this.#onReturn, { signal });
    window.addEventListener("focus", this.#onReturn, { signal });
    // The last poll might have failed a moment ago.
    window.addEventListener("online", () => void this.#run(), { signal });
    this.#schedule();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  #schedule(waitMs = this.#intervalMs): void {
    clearTimeout(this.#timer);
    if (this.#stopped.signal.aborted || document.hidden || waitMs === Infinity) return;
    this.#timer = setTimeout(() => void this.#run(), Math.min(waitMs, MAX_TIMER_MS));
  }

  async #run(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    await this.#poll();
    this.#polling = false;
    this.#lastMs = performance.now();
    this.#schedule();
  }

  /**
   * The user's action elsewhere might be newer than the last poll, so an early return delays the
   * poll.
   */
  readonly #onReturn = (): void => {
    const coolingMs = this.#lastMs + COOLDOWN_MS - performance.now();
    if (document.hidden || coolingMs > 0) this.#schedule(Math.min(coolingMs, this.#intervalMs));
    else void this.#run();
  };
}
