// How many requests wait for one another, and what that costs where servers are far away.
import {
  DELAYS,
  call,
  clickLogin,
  givenTo,
  goElsewhere,
  goToSubject,
  inTurns,
  openLogin,
} from "./browser.mjs";
import { compared, isOurs, median, noteOn, ourRow, ratios, titleOf } from "./figures.mjs";
import { inARow } from "./servers.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

/**
 * @typedef {object} RoundTrips
 * @property {string} task
 * @property {string} subject
 * @property {string} [note] The difference.
 * @property {number} requests
 * @property {number} inARow Requests that waited for one another, without preflights.
 * @property {number} withPreflights The same, including the browser's preflights.
 * @property {Record<string, number[]>} ms By the servers' delay: one for each turn.
 */

/**
 * @typedef {object} Step
 * @property {string} task
 * @property {Record<string, string>} subjects Ours first, with differences.
 * @property {(page: Page, subject: string) => Promise<() => Promise<number>>} prepare
 *   Does what comes before, and gives what is timed: the milliseconds, by the page's clock.
 */

const NO_ID_TOKEN = "only OAuth 2.0: checks no ID token, state, or issuer";
const SAME = "the same requests: n + 1 is the minimum";
const NO_SIGNATURE = "does not check the ID token's signature";

/** @param {import("./report.mjs").Bench} bench @returns {Step[]} */
function stepsOf(bench) {
  const { site, servers } = bench;
  const loginPage = `${site.origin}/html/login`;
  /** @param {string} name */
  const callOf = (name) => async (/** @type {Page} */ page, /** @type {string} */ subject) => {
    await goToSubject(page, `${site.origin}/page/${subject}`);
    return async () => (await call(page, name, givenTo(bench, subject))).ms;
  };
  /** @param {string} url */
  const clickOn = (url) => async (/** @type {Page} */ page) => {
    await openLogin(page, url);
    return async () => {
      await clickLogin(page);
      return /** @type {Promise<number>} */ (page.evaluate("window.leftAt - window.clickedAt"));
    };
  };

  return [
    {
      task: "homeserver's name → authorization URL",
      subjects: { ours: "", "matrix-js-sdk-41": "", "matrix-js-sdk-43": "" },
      prepare: callOf("fromName"),
    },
    {
      task: "issuer and client ID → authorization URL",
      subjects: {
        ours: "",
        "oidc-client-ts": "the same request",
        "auth0-spa-js": "discovers nothing: its server's URLs are built in",
      },
      prepare: callOf("fromIssuer"),
    },
    {
      task: "callback → verified tokens",
      subjects: {
        ours: "",
        "matrix-js-sdk-41": NO_SIGNATURE,
        "matrix-js-sdk-43": NO_ID_TOKEN,
        "oidc-client-ts": NO_SIGNATURE,
        "auth0-spa-js": NO_SIGNATURE,
      },
      async prepare(page, subject) {
        await goToSubject(page, `${site.origin}/page/${subject}`);
        // `fromName`, if it can do that; otherwise `fromIssuer`.
        const begin = await page.evaluate("subject.can.find((name) => name.startsWith('from'))");
        const { result } = await call(page, begin, givenTo(bench, subject));
        await goToSubject(page, servers.authorize(result));
        return async () => (await call(page, "complete", givenTo(bench, subject))).ms;
      },
    },
    {
      task: "UIA with three stages",
      subjects: { ours: "", "matrix-js-sdk-41": SAME, "matrix-js-sdk-43": SAME },
      prepare: callOf("converse"),
    },
    {
      task: "<oidc-login>: page starts to load → ready for the click",
      subjects: { ours: "" },
      prepare: async (page) => async () => {
        await openLogin(page, loginPage);
        return page.evaluate("window.readyAt");
      },
    },
    {
      task: "<oidc-login>: click → leaving the page, with registration",
      subjects: { ours: "" },
      prepare: clickOn(loginPage),
    },
    {
      task: "<oidc-login>: click → leaving the page, client ID given",
      subjects: { ours: "" },
      prepare: clickOn(`${site.origin}/html/login-known`),
    },
    {
      task: "<oidc-callback>: page starts to load → tokens",
      subjects: { ours: "" },
      async prepare(page) {
        // The callback's page has no other element, whose requests would be counted.
        await openLogin(page, `${site.origin}/html/login-elsewhere`);
        const back = servers.authorize(await clickLogin(page));
        await goElsewhere(page);
        return async () => {
          await page.goto(back);
          await page.waitForFunction("window.doneAt");
          return page.evaluate("window.doneAt");
        };
      },
    },
  ];
}

/** @type {import("./report.mjs").Section<RoundTrips>} */
export const roundTrips = {
  title: "Round trips",
  text:
    "The number of sequential requests, counted by the bench's homeserver and provider, each on a " +
    "separate host; in parentheses including the browsers' preflights. Then the time in the page with that delay " +
    "for each response, as a ratio to ours in the same turn: median (smallest – largest).",
  head: ["Step", "By", "Sequential", "Requests", ...DELAYS.map((ms) => `at ${ms} ms`), "Note"],

  async measure(bench) {
    const { servers } = bench;
    const pairs = stepsOf(bench).flatMap(({ task, subjects, prepare }) =>
      Object.entries(subjects).map(([subject, note]) => {
        /** @type {RoundTrips} */
        const row = {
          ...{ task, subject, ...(note && { note }) },
          ...{ requests: 0, inARow: 0, withPreflights: 0, ms: {} },
        };
        return { prepare, row };
      }),
    );
    // What is counted last is of the longest delay, where nothing hides behind the machine's own time.
    for (const delayMs of DELAYS) {
      await inTurns(bench, pairs, 5, async (page, { prepare, row }) => {
        const run = await prepare(page, row.subject);
        servers.slowDown(delayMs);
        servers.takeLog();
        (row.ms[delayMs] ??= []).push(await run());
        const log = servers.takeLog();
        servers.slowDown(0);
        const asked = log.filter(({ method }) => method !== "OPTIONS");
        row.requests = asked.length;
        row.inARow = inARow(asked);
        row.withPreflights = inARow(log);
      });
    }
    return pairs.map(({ row }) => row);
  },

  cells({ task, subject, note, inARow, withPreflights, requests, ms }, rows) {
    const ours = ourRow(rows, task);
    // With shorter delays, most of the time is the machine's own.
    const longest = DELAYS.at(-1) ?? NaN;
    return [
      isOurs(subject) ? task : "",
      titleOf(subject),
      `${inARow} (${withPreflights})`,
      String(requests),
      ...DELAYS.map((delay) => compared(ms[delay], ours?.ms[delay])),
      noteOn(note, median(ratios(ms[longest], ours?.ms[longest]))),
    ];
  },
};
