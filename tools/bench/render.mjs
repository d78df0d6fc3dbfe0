// How soon elements show something, and how long a click that opens the dialog keeps the page.
import { inTurns } from "./samples.mjs";

/**
 * @typedef {object} Rendered
 * @property {string} subject
 * @property {string} tag
 * @property {string} [note]
 * @property {number[]} [define] Script and first render of one that is on the page, in ms, by turn.
 * @property {number[]} one One more, in ms.
 * @property {number[]} hundred A hundred at once, in ms.
 */

/**
 * @typedef {object} Opening
 * @property {string} what
 * @property {number[]} nextPaint From the click to the next paint, in ms, by turn.
 * @property {number[]} shown From the click to the first paint with the dialog open.
 */

/** @type {readonly Omit<Rendered, "one" | "hundred">[]} */
const ELEMENTS = [
  { subject: "ours", tag: "oidc-login" },
  { subject: "ours", tag: "oidc-callback" },
  { subject: "ours", tag: "uia-dialog" },
  { subject: "ours", tag: "uia-fallback-frame" },
  {
    subject: "hanko-elements",
    tag: "hanko-auth",
    note: "until it shows anything; its server is a stub that has nothing for it",
  },
  {
    subject: "descope",
    tag: "descope-wc",
    note: "its frame alone: the screen is made of parts that come from its servers",
  },
];

/**
 * What elements need to show something.
 *
 * @type {Record<string, Record<string, string>>}
 */
export const ATTRIBUTES = {
  "oidc-login": { homeserver: "localhost:9" },
  "uia-fallback-frame": {
    stage: "m.login.recaptcha",
    session: "s",
    homeserver: "http://localhost:9",
  },
  "descope-wc": { "project-id": "P2bench", "flow-id": "sign-in", "base-url": "/descope" },
};

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<{ elements: Rendered[], opening: Opening[] }>}
 */
export async function measureRender({ browser, site, quick }) {
  /** @type {Rendered[]} */
  const elements = ELEMENTS.map((each) => ({ ...each, define: [], one: [], hundred: [] }));
  /** @type {Opening[]} */
  const opening = [
    { what: "<uia-dialog>", nextPaint: [], shown: [] },
    { what: "an empty <dialog>", nextPaint: [], shown: [] },
  ];
  await inTurns([...elements, ...opening], quick ? 1 : 7, (subject) =>
    "what" in subject ? open(subject) : render(subject),
  );
  return { elements, opening };

  /** @param {Rendered} rendered */
  async function render(rendered) {
    const script =
      rendered.subject === "ours"
        ? "/cdn/matrix-auth-elements.js"
        : await site.scriptOf(rendered.subject);
    const what = { script, tag: rendered.tag, attributes: ATTRIBUTES[rendered.tag] };
    return browser.inFreshPage(async (page) => {
      await page.goto(`${site.origin}/html/render`);
      await page.waitForFunction("window.render");
      const given = JSON.stringify(what);
      rendered.define?.push(await page.evaluate(`defineAndRender(${given})`));
      rendered.one.push(await page.evaluate(`render(${given}, 1)`));
      rendered.hundred.push(await page.evaluate(`render(${given}, 100)`));
    });
  }

  /** @param {Opening} subject */
  async function open(subject) {
    return browser.inFreshPage(async (page) => {
      await page.goto(`${site.origin}/html/opening`);
      // What is loaded while the page is idle is ready before a click.
      await page.waitForLoadState("networkidle");
      await page.click(subject.what === "<uia-dialog>" ? "#ours" : "#bare");
      await page.waitForFunction("window.shownAt");
      const { nextPaint, shown } = await page.evaluate(
        "({ nextPaint: paintedAt - clickedAt, shown: shownAt - clickedAt })",
      );
      subject.nextPaint.push(nextPaint);
      subject.shown.push(shown);
    });
  }
}
