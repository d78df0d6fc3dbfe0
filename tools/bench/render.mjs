// How soon elements show something.
import { inTurns } from "./browser.mjs";
import { columns, compared, isOurs, median, noteOn, ratios, titleOf } from "./figures.mjs";
import { ELEMENTS } from "./html.mjs";
import { scriptOf } from "./site.mjs";

/**
 * @typedef {object} Rendered
 * @property {string} subject
 * @property {string} tag
 * @property {string} [note]
 * @property {number[]} define Script and first render of one that is on the page, in ms, by turn.
 * @property {number[]} one One more, in ms.
 * @property {number[]} hundred A hundred at the same time, in ms.
 */

/** @type {import("./report.mjs").Section<Rendered>} */
export const render = {
  title: "First render",
  text:
    "The time from loading the script to the first render of an element on the page; then for one " +
    "more element, and for a hundred together. Ratios to `<oidc-login>` in the same turn.",
  head: ["Element", "By", "Script and first render", "One more", "A hundred", "Note"],

  async measure(bench) {
    const samples = await inTurns(bench, ELEMENTS, 7, async (page, element) => {
      const { subject, tag, attributes } = element;
      const script = isOurs(subject) ? "/cdn/matrix-auth-elements.js" : scriptOf(subject);
      const what = JSON.stringify({ tag, attributes });
      await page.goto(`${bench.site.origin}/html/render`);
      /** @type {number} */
      const define = await page.evaluate(`defineAndRender(${what}, "${script}")`);
      /** @type {number} */
      const one = await page.evaluate(`render(${what}, 1)`);
      /** @type {number} */
      const hundred = await page.evaluate(`render(${what}, 100)`);
      return { define, one, hundred };
    });
    return samples.map(({ subject: { subject, tag, note }, results }) => ({
      ...{ subject, tag, ...(note && { note }) },
      ...columns(results),
    }));
  },

  cells({ subject, tag, note, define, one, hundred }, [first]) {
    const pairs = /** @type {const} */ ([
      [define, first?.define],
      [one, first?.one],
      [hundred, first?.hundred],
    ]);
    const best = Math.min(...pairs.map(([figures, ours]) => median(ratios(figures, ours))));
    return [
      `\`<${tag}>\``,
      titleOf(subject),
      ...pairs.map(([figures, ours]) => compared(figures, ours)),
      noteOn(note, isOurs(subject) ? 1 : best),
    ];
  },
};
