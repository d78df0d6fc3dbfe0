import { waitFor } from "./wait-for.js";

/** Longer than the time in which a dialog takes keys for the end of what was typed before. */
const QUIET_MS = 600;

let lastKeyAt = -Infinity;
addEventListener("keydown", ({ timeStamp }) => (lastKeyAt = timeStamp), true);

/** Resolves once the keys of a test don't affect a dialog of the next one. */
export const keysHaveStopped = (): Promise<unknown> =>
  waitFor(() => performance.now() - lastKeyAt > QUIET_MS);
