import { idle } from "../../support/clock.js";
import { realPause } from "../../support/real-pause.js";

/** Long enough for a very busy machine. A passing test does not wait. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 5;
/** Some tests replace the page's clock. */
const now = performance.now.bind(performance);
const { fetch, requestAnimationFrame } = globalThis;

/** Resolves with the condition's value once it is truthy. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  failure: string | (() => string) = "The condition was never met",
): Promise<T> {
  const end = now() + TIMEOUT_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (now() > end) throw new Error(typeof failure === "string" ? failure : failure());
    await realPause(INTERVAL_MS);
  }
}

/**
 * Resolves once the page has done everything that was under way: tasks, messages, responses of the test servers,
 * files that it loads, and frames. Only held responses and timers can come later. What must not happen would have
 * happened by then, however busy the machine is.
 */
export async function untilQuiet(): Promise<void> {
  // A file may load others.
  for (let round = 0; round < 3; round += 1) {
    // The runner's server sends this after the files that the page has requested before.
    await (await fetch("/test/elements/support/page.html", { cache: "no-store" })).text();
    await new Promise(requestAnimationFrame);
    await idle();
  }
}
