// What a page does once its scripts are there: how soon it renders, and how much it does per second.
import { titleOf } from "../peers.mjs";
import { median, ratios } from "../samples.mjs";
import { compared, isOurs, noteOn, number, ratioOf } from "./format.mjs";

/** @typedef {import("./index.mjs").Table} Table */
/** @typedef {import("./index.mjs").Results} Results */

/** What is faster browsers do not tell. */
const FRAME_MS = 16;

/**
 * @param {NonNullable<Results["render"]>} elements
 * @returns {Table}
 */
export function renderTable(elements) {
  const [first] = elements;
  return {
    title: "First render",
    text:
      "The time from loading the script to the first render of an element on the page; then for one " +
      "more element, and for a hundred together. Ratios to `<oidc-login>` in the same turn.",
    head: ["Element", "By", "Script and first render", "One more", "A hundred", "Note"],
    rows: elements.map(({ tag, subject, define, one, hundred, note }) => {
      const best = Math.min(
        ratios(define, first?.define ?? []).median,
        ratios(one, first?.one ?? []).median,
        ratios(hundred, first?.hundred ?? []).median,
      );
      return [
        `\`<${tag}>\``,
        titleOf(subject),
        compared(define, first?.define),
        compared(one, first?.one),
        compared(hundred, first?.hundred),
        noteOn(note, isOurs(subject) ? 1 : best),
      ];
    }),
  };
}

/**
 * @param {NonNullable<Results["vitals"]>} vitals
 * @returns {Table}
 */
export function vitalsTable(vitals) {
  const [first] = vitals;
  return {
    title: "On a slow device",
    text:
      "The browser's own metrics, with a CPU a quarter as fast and Chromium's slow 4G: Largest Contentful Paint, " +
      "a click's Interaction to Next Paint, and Cumulative Layout Shift (the largest of all turns). Ratios to the first row in the same turn. " +
      "All pages are served uncompressed; the peers' pages have only their element.",
    head: ["Page", "By", "LCP", "INP", "CLS"],
    rows: vitals.map(({ what, subject, lcp, inp, cls }) => [
      what,
      titleOf(subject),
      compared(lcp, first?.lcp, FRAME_MS),
      inp.length > 0 ? compared(inp, first?.inp, FRAME_MS) : "",
      Math.max(...cls).toFixed(3),
    ]),
  };
}

/**
 * @param {NonNullable<Results["throughput"]>} throughput
 * @returns {Table}
 */
export function throughputTable(throughput) {
  return {
    title: "Throughput",
    text:
      "The number of operations per second with the servers inside the page, so without a network. The " +
      "ratio compares the time for one operation: more than 1 is slower than ours.",
    head: ["Task", "By", "A second", "Ratio", "Note"],
    rows: throughput.map(({ task, subject, note, perSecond }) => {
      const ours = throughput.find((entry) => entry.task === task && isOurs(entry.subject));
      const slower = ratios(ours?.perSecond ?? [], perSecond);
      return [
        isOurs(subject) ? task : "",
        titleOf(subject),
        number(median(perSecond)),
        isOurs(subject) ? "1" : ratioOf(slower),
        noteOn(note, slower.median),
      ];
    }),
  };
}
