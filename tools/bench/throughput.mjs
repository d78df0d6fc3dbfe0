// The number of operations that a page can do in a second without a network. No app needs that
// many sign-ins, but it shows what a library costs the page and the battery.
import { call, givenTo, goToSubject, inTurns } from "./browser.mjs";
import { isOurs, median, noteOn, number, ourRow, ratios, spread, titleOf } from "./figures.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

/**
 * @typedef {object} Throughput
 * @property {string} task
 * @property {string} subject
 * @property {string} [note] The difference.
 * @property {number[]} perSecond By turn.
 */

/**
 * @typedef {object} Task
 * @property {string} task
 * @property {Record<string, string>} subjects Ours first, with differences.
 * @property {(page: Page, subject: string) => Promise<number>} run How many a second.
 */

const ASKS_FIRST = "requests openid-configuration each time; here the page itself responds";
const NO_SIGNATURE = "checks claims without a signature, so it requests no keys";
const KEEPS_LESS = "stores less for the callback";

/** @type {import("./report.mjs").Section<Throughput>} */
export const throughput = {
  title: "Throughput",
  text:
    "The number of operations per second with the servers inside the page, so without a network. The " +
    "ratio compares the time for one operation: more than 1 is slower than ours.",
  head: ["Task", "By", "A second", "Ratio", "Note"],

  async measure(bench) {
    /** @type {Throughput[]} */
    const rows = [];
    for (const { task, subjects, run } of tasksOf(bench)) {
      const samples = await inTurns(bench, Object.keys(subjects), 7, async (page, subject) => {
        await goToSubject(page, `${bench.site.origin}/page/${subject}`);
        return run(page, subject);
      });
      for (const { subject, results: perSecond } of samples) {
        const note = subjects[subject];
        rows.push({ task, subject, ...(note && { note }), perSecond });
      }
    }
    return rows;
  },

  cells({ task, subject, note, perSecond }, rows) {
    const slower = ratios(ourRow(rows, task)?.perSecond, perSecond);
    return [
      isOurs(subject) ? task : "",
      titleOf(subject),
      number(median(perSecond)),
      isOurs(subject) ? "1" : spread(slower),
      noteOn(note, median(slower)),
    ];
  },
};

/** @param {import("./report.mjs").Bench} bench @returns {readonly Task[]} */
function tasksOf(bench) {
  /** How long it is tried in a turn, and how many callbacks. */
  const [forMs, count] = bench.quick ? [100, 20] : [300, 80];
  /** @param {string} algorithm @param {Record<string, string>} [others] @returns {Task} */
  const callbacks = (algorithm, others) => ({
    task: `callbacks with an ID token signed with ${algorithm}`,
    subjects: {
      ...{ ours: "", "matrix-js-sdk-41": NO_SIGNATURE, "oidc-client-ts": NO_SIGNATURE },
      ...others,
    },
    run: (page, subject) => call(page, "callbacks", givenTo(bench, subject), algorithm, count),
  });
  return [
    {
      task: "complete authorization URLs, with PKCE",
      subjects: {
        ours: "",
        "matrix-js-sdk-41": ASKS_FIRST,
        "matrix-js-sdk-43": KEEPS_LESS,
        "oidc-client-ts": "",
        "auth0-spa-js": KEEPS_LESS,
      },
      run: (page, subject) => call(page, "urls", givenTo(bench, subject), forMs),
    },
    callbacks("RS256", {
      "matrix-js-sdk-43": "requests no ID token, so it verifies nothing",
      "auth0-spa-js": NO_SIGNATURE,
    }),
    callbacks("ES256"),
    {
      task: "UIA conversations with three stages",
      subjects: { ours: "", "matrix-js-sdk-41": "", "matrix-js-sdk-43": "" },
      run: (page) => call(page, "conversations", forMs),
    },
  ];
}
