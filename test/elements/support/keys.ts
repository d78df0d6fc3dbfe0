import { waitFor } from "./wait-for.js";

/** Longer than the time in which a dialog takes keys for the end of what was typed before. */
const QUIET_MS = 600;

/** The real clock, even while a test has stopped or moved it. */
const now = performance.now.bind(performance);

let lastKeyAt = -Infinity;
// The time at which the key is handled, as in `haste.ts`. On a busy machine, `timeStamp` is earlier.
addEventListener("keydown", () => (lastKeyAt = now()), true);

/** Resolves once the keys of a test don't affect a dialog of the next one. */
export const keysHaveStopped = (): Promise<unknown> => waitFor(() => now() - lastKeyAt > QUIET_MS);
