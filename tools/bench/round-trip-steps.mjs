// The steps whose round trips are counted, and who can do them.
import { call, givenTo, goToSubject } from "./browser.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {Record<string, string>} subjects Ours first, with differences.
 * @property {(page: Page, subject: string) => Promise<() => Promise<number>>} prepare
 *   Does what comes before, and gives what is timed: the milliseconds, by the page's clock.
 */

const NO_ID_TOKEN = "only OAuth 2.0: checks no ID token, state, or issuer";
const SAME = "the same requests: n + 1 is the minimum";
const NO_SIGNATURE = "does not check the ID token's signature";

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Step[]}
 */
export function stepsOf(bench) {
  const { site, servers } = bench;
  /** @param {string} name */
  const callOf = (name) => async (/** @type {Page} */ page, /** @type {string} */ subject) => {
    await goToSubject(page, `${site.origin}/page/${subject}`);
    return async () => (await call(page, name, givenTo(bench, subject))).ms;
  };

  return [
    {
      title: "homeserver's name → authorization URL",
      subjects: { ours: "", "matrix-js-sdk-41": "", "matrix-js-sdk-43": "" },
      prepare: callOf("fromName"),
    },
    {
      title: "issuer and client ID → authorization URL",
      subjects: {
        ours: "",
        "oidc-client-ts": "the same request",
        "auth0-spa-js": "discovers nothing: its server's URLs are built in",
      },
      prepare: callOf("fromIssuer"),
    },
    {
      title: "callback → verified tokens",
      subjects: {
        ours: "",
        "matrix-js-sdk-41": NO_SIGNATURE,
        "matrix-js-sdk-43": NO_ID_TOKEN,
        "oidc-client-ts": NO_SIGNATURE,
        "auth0-spa-js": NO_SIGNATURE,
      },
      async prepare(page, subject) {
        const address = `${site.origin}/page/${subject}`;
        await goToSubject(page, address);
        // `fromName`, if it can do that; otherwise `fromIssuer`.
        const begin = await page.evaluate("subject.can.find((name) => name.startsWith('from'))");
        const { result } = await call(page, begin, givenTo(bench, subject));
        await goToSubject(page, servers.authorize(result));
        return async () => (await call(page, "complete", givenTo(bench, subject))).ms;
      },
    },
    {
      title: "UIA with three stages",
      subjects: { ours: "", "matrix-js-sdk-41": SAME, "matrix-js-sdk-43": SAME },
      prepare: callOf("converse"),
    },
    {
      title: "<oidc-login>: page starts to load → ready for the click",
      subjects: { ours: "" },
      prepare: (page) =>
        Promise.resolve(async () => {
          await page.goto(`${site.origin}/html/login`);
          await page.waitForFunction("window.readyAt");
          return page.evaluate("window.readyAt");
        }),
    },
    {
      title: "<oidc-login>: click → leaving the page, with registration",
      subjects: { ours: "" },
      prepare: (page) => clickWhenReady(page, `${site.origin}/html/login`),
    },
    {
      title: "<oidc-login>: click → leaving the page, client ID given",
      subjects: { ours: "" },
      prepare: (page) => clickWhenReady(page, `${site.origin}/html/login-known`),
    },
    {
      title: "<oidc-callback>: page starts to load → tokens",
      subjects: { ours: "" },
      async prepare(page) {
        await (
          await clickWhenReady(page, `${site.origin}/html/login`)
        )();
        const back = servers.authorize(await page.evaluate("window.leftFor"));
        // The provider's page lies between: a response in the fragment would not load the page
        // again.
        await page.goto(`${site.origin}/html/elsewhere`);
        return async () => {
          await page.goto(back);
          await page.waitForFunction("window.doneAt");
          return page.evaluate("window.doneAt");
        };
      },
    },
  ];
}

/**
 * @param {Page} page
 * @param {string} url
 */
async function clickWhenReady(page, url) {
  await page.goto(url);
  await page.waitForFunction("window.readyAt");
  return async () => {
    await page.click("oidc-login");
    await page.waitForFunction("window.leftFor");
    return /** @type {Promise<number>} */ (page.evaluate("window.leftAt - window.clickedAt"));
  };
}
