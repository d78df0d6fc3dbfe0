const { setTimeout } = globalThis;

/**
 * Waits for a real time. This is allowed only if no condition and no clock can take its place:
 *
 * - between two looks at a condition
 * - for a server or a store that is slow on purpose, if the test's result doesn't depend on how slow it is
 * - for a limit of the browser itself, such as that of changes of the URL
 *
 * To show that something does not happen, wait for what comes after it, or use `untilQuiet()`.
 */
export const realPause = (ms: number): Promise<void> =>
  // eslint-disable-next-line no-restricted-syntax
  new Promise((resolve) => setTimeout(resolve, ms));
