/** Long enough for a machine with many times its load. It costs nothing where a test passes. */
const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 5;
/** Some tests have a clock of their own. */
const now = performance.now.bind(performance);
const { setTimeout } = globalThis;

/** Resolves, with the condition's value, once that is truthy. */
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
 * Gives what must not happen the time to happen: no event says that it did not. On a slow machine this may
 * miss a fault, but never reports one that is not there.
 */
export const timeForMore = (milliseconds = 50): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
