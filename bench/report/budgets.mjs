// What was to be reached, set before the first line was written, and what has come of it. That it stays so
// is held by tests: sizes in test/package, requests in test/core, test/elements and test/e2e.
import { isOurs, kb } from "./tables.mjs";

/** @typedef {import("./tables.mjs").Results} Results */

/**
 * @typedef {object} Budget
 * @property {string} what
 * @property {number} most
 * @property {"bytes" | "requests"} unit
 * @property {(results: Results) => number | undefined} found
 * @property {string} [missed] Why it is more, and what was tried.
 */

const KB = 1024;

/** @param {string} set */
const scriptTag =
  (set) =>
  (/** @type {Results} */ { bytes }) =>
    bytes?.scriptTag[set]?.gzip;

/** @param {string} named @returns {(results: Results) => number | undefined} */
const inARow =
  (named) =>
  ({ roundTrips }) =>
    roundTrips?.find(({ step, subject }) => step === named && isOurs(subject))?.inARow;

/** @type {readonly Budget[]} */
const BUDGETS = [
  {
    what: "script tag: before the first paint of `<oidc-login>`",
    most: 12 * KB,
    unit: "bytes",
    found: scriptTag("before the first paint of <oidc-login>"),
  },
  {
    what: "script tag: everything that can ever be loaded, in English, without third-party extras",
    most: 30 * KB,
    unit: "bytes",
    found: scriptTag("everything but other languages and third-party extras"),
    missed:
      "each part is one file with everything it needs, so that no page waits for a chain of files, and no " +
      "page loads them all; see below",
  },
  {
    what: "signing in: the core's part, bundled with oauth4webapi",
    most: 18 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.signingIn.gzip,
  },
  {
    what: "the whole of `/core`, bundled with oauth4webapi",
    most: 18 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.core.gzip,
    missed:
      "it now has a session for all tabs, the device grant, a client for the protected endpoints and " +
      "cross-signing keys; what is not imported is not bundled",
  },
  {
    what: "the largest language file",
    most: 2.5 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.largestLanguage.gzip,
  },
  {
    what: "page begins to load → `<oidc-login>` ready",
    most: 2,
    unit: "requests",
    found: inARow("<oidc-login>: page begins to load → ready for the click"),
  },
  {
    what: "click → leaving the page, client known",
    most: 0,
    unit: "requests",
    found: inARow("<oidc-login>: click → leaving the page, client id known"),
  },
  {
    what: "click → leaving the page, registration needed",
    most: 1,
    unit: "requests",
    found: inARow("<oidc-login>: click → leaving the page, with registration"),
  },
  {
    what: "callback → tokens verified; the keys are fetched in parallel",
    most: 1,
    unit: "requests",
    found: inARow("callback → verified tokens"),
  },
  {
    what: "User-Interactive Authentication in three stages",
    most: 4,
    unit: "requests",
    found: inARow("User-Interactive Authentication in three stages"),
  },
];

/**
 * @param {Results} results
 * @returns {import("./tables.mjs").Table}
 */
export const budgetTable = (results) => ({
  title: "Compared with the plan",
  text:
    "The library's original goals: bytes are minified and compressed by gzip at level 9; requests are " +
    "those that wait for one another.",
  head: ["What", "At most", "Now", "Note"],
  rows: BUDGETS.map(({ what, most, unit, found, missed = "not known why" }) => {
    const now = found(results) ?? NaN;
    const told = (/** @type {number} */ value) => (unit === "bytes" ? kb(value) : String(value));
    return [what, told(most), told(now), now <= most ? "" : `missed: ${missed}`];
  }),
});
