// How soon elements show something.
import { inTurns } from "./samples.mjs";

/**
 * @typedef {object} Rendered
 * @property {string} subject
 * @property {string} tag
 * @property {string} [note]
 * @property {number[]} define Script and first render of one that is on the page, in ms, by turn.
 * @property {number[]} one One more, in ms.
 * @property {number[]} hundred A hundred at the same time, in ms.
 */

/** @type {readonly Pick<Rendered, "subject" | "tag" | "note">[]} */
const ELEMENTS = [
  { subject: "ours", tag: "oidc-login" },
  { subject: "ours", tag: "oidc-callback" },
  { subject: "ours", tag: "matrix-login" },
  { subject: "ours", tag: "matrix-account", note: "its frame alone, without a client" },
  { subject: "ours", tag: "uia-dialog" },
  { subject: "ours", tag: "uia-fallback-frame" },
  {
    subject: "hanko-elements",
    tag: "hanko-auth",
    note: "until it shows anything; its server is a stub without content",
  },
  {
    subject: "descope",
    tag: "descope-wc",
    note: "only its frame: the screen's parts come from its servers",
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
 * @returns {Promise<Rendered[]>}
 */
export async function measureRender({ browser, site, quick }) {
  const samples = await inTurns(ELEMENTS, quick ? 1 : 7, async ({ subject, tag }) => {
    const script =
      subject === "ours" ? "/cdn/matrix-auth-elements.js" : await site.scriptOf(subject);
    const given = JSON.stringify({ script, tag, attributes: ATTRIBUTES[tag] });
    return browser.inFreshPage(async (page) => {
      await page.goto(`${site.origin}/html/render`);
      await page.waitForFunction("window.render");
      /** @type {number} */
      const define = await page.evaluate(`defineAndRender(${given})`);
      /** @type {number} */
      const one = await page.evaluate(`render(${given}, 1)`);
      /** @type {number} */
      const hundred = await page.evaluate(`render(${given}, 100)`);
      return { define, one, hundred };
    });
  });
  return [...samples].map(([element, found]) => ({
    ...element,
    define: found.map(({ define }) => define),
    one: found.map(({ one }) => one),
    hundred: found.map(({ hundred }) => hundred),
  }));
}
