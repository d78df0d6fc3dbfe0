// What was to be reached, and what has come of it. That it stays so
// is held by tests: sizes in test/package, requests in test/core, test/elements and test/e2e.
import { isOurs, kb } from "./format.mjs";

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

/**
 * What a page loads by script tag, with the file of all elements and with that of its own element.
 *
 * @param {string} what
 * @param {number} kilobytes
 * @param {string} set
 * @param {string} missed
 * @returns {Budget[]}
 */
const page = (what, kilobytes, set, missed) =>
  [
    { by: "", found: set },
    { by: "; by its element's own file", found: `${set}, by its element's own file` },
  ].map(({ by, found }) => ({
    what: `script tag: ${what}${by}`,
    most: kilobytes * KB,
    unit: "bytes",
    // <matrix-login> loads it for what comes after the password.
    found: ({ bytes }) => {
      const { gzip = NaN, files = [] } = bytes?.scriptTag[found] ?? {};
      return gzip - (files.includes("session.js") ? (bytes?.own.session.gzip ?? NaN) : 0);
    },
    missed,
  }));

/** @param {string} named @returns {(results: Results) => number | undefined} */
const inARow =
  (named) =>
  ({ roundTrips }) =>
    roundTrips?.find(({ step, subject }) => step === named && isOurs(subject))?.inARow;

/** @type {readonly Budget[]} */
const BUDGETS = [
  ...page(
    "before the first paint of `<oidc-login>`",
    9.5,
    "before the first paint of <oidc-login>",
    "Lit and its context are 6 KB of it; five elements have to be there at once; see below",
  ),
  ...page(
    "a sign-in page, until a click leaves it",
    19,
    "by a page that signs somebody in",
    "registration and the texts of errors come with it; see below",
  ),
  ...page(
    "a callback page, until there are tokens and a client",
    25,
    "by a page that completes a login",
    "9 KB less since the ID token is verified by own code and metadata comes later; see below",
  ),
  ...page(
    "a page whose dialog asks for a password",
    20,
    "by a page that opens <uia-dialog>",
    "the dialog with its fields and the engine are 13 KB; a registration's stages come later; see below",
  ),
  ...page(
    "a page whose `<matrix-login>` asks for a password, less the session's file",
    24,
    "by a page that asks for a password by <matrix-login>",
    "every way to sign in is in one file, the forms for accounts come later; see below",
  ),
  {
    what: "script tag: the classic file, everything",
    most: 48 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.scriptTag["the classic script, everything"]?.gzip,
    missed: "it has a fifth element, sign-in with passwords and sessions in IndexedDB; see below",
  },
  {
    what: "four elements and a session in one bundle of esbuild's",
    most: 50 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.inOneBundle?.gzip,
    missed: "as the classic file",
  },
  {
    what: "signing in: the core's part, bundled; not above oidc-client-ts",
    most: 17.1 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.signingIn.gzip,
  },
  {
    what: "the largest language file",
    most: 2.5 * KB,
    unit: "bytes",
    found: ({ bytes }) => bytes?.own.largestLanguage.gzip,
    missed: "it has the texts of `<matrix-login>` and of further errors too",
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
    "The library's goals: bytes are minified and compressed by gzip at level 9; requests are " +
    "those that wait for one another.",
  head: ["What", "At most", "Now", "Note"],
  rows: BUDGETS.map(({ what, most, unit, found, missed = "not known why" }) => {
    const now = found(results) ?? NaN;
    const format = (/** @type {number} */ value) => (unit === "bytes" ? kb(value) : String(value));
    return [what, format(most), format(now), now <= most ? "" : `missed: ${missed}`];
  }),
});
