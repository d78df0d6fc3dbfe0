/** Long enough for a very busy machine. A passing test does not wait. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 5;
/** Some tests replace the page's clock. */
const now = performance.now.bind(performance);
const { setTimeout } = globalThis;

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
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/**
 * Waits, so that an unwanted event has time to happen. On a slow machine this can miss a fault, but never
 * reports one wrongly.
 */
export const timeForMore = (milliseconds = 50): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
