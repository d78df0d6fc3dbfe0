// The number of operations that a page can do in a second without a network. No app needs that
// many sign-ins, but it shows what a library costs the page and the battery.
import { call, givenTo, goToSubject } from "./browser.mjs";
import { inTurns } from "./samples.mjs";

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
 * @property {string} title
 * @property {Record<string, string>} subjects Ours first, with differences.
 * @property {(page: Page, subject: string) => Promise<number>} run How many a second.
 */

const ASKS_FIRST = "requests openid-configuration each time; here the page itself responds";
const NO_SIGNATURE = "checks claims without a signature, so it requests no keys";
const KEEPS_LESS = "stores less for the callback";

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<Throughput[]>}
 */
export async function measureThroughput(bench) {
  const { browser, site, quick } = bench;
  /** How long it is tried in a turn, and how many callbacks. */
  const [forMs, count] = quick ? [100, 20] : [300, 80];
  /** @param {string} algorithm @param {Record<string, string>} [others] @returns {Task} */
  const callbacks = (algorithm, others) => ({
    title: `callbacks with an ID token by ${algorithm}`,
    subjects: {
      ...{ ours: "", "matrix-js-sdk-41": NO_SIGNATURE, "oidc-client-ts": NO_SIGNATURE },
      ...others,
    },
    run: (page, subject) => call(page, "callbacks", givenTo(bench, subject), algorithm, count),
  });
  /** @type {readonly Task[]} */
  const tasks = [
    {
      title: "complete authorization URLs, with PKCE",
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
      title: "UIA conversations with three stages",
      subjects: { ours: "", "matrix-js-sdk-41": "", "matrix-js-sdk-43": "" },
      run: (page) => call(page, "conversations", forMs),
    },
  ];
  /** @type {Throughput[]} */
  const results = [];
  for (const { title, subjects, run } of tasks) {
    const samples = await inTurns(Object.keys(subjects), quick ? 1 : 7, (subject) =>
      browser.inFreshPage(async (page) => {
        await goToSubject(page, `${site.origin}/page/${subject}`);
        return run(page, subject);
      }),
    );
    for (const [subject, perSecond] of samples) {
      const note = subjects[subject];
      results.push({ task: title, subject, ...(note && { note }), perSecond });
    }
  }
  return results;
}
