// What a page does once its scripts are there: how soon it renders, and how much it does per second.
import { titleOf } from "../peers.mjs";
import { median, ratios } from "../samples.mjs";
import { isOurs, msOf, notes, number, ratioOf } from "./format.mjs";
import { reasonFor } from "./reasons.mjs";

/** @typedef {import("./tables.mjs").Table} Table */
/** @typedef {import("./tables.mjs").Results} Results */
/** @typedef {import("../render.mjs").Rendered} Rendered */
/** @typedef {import("../vitals.mjs").Vitals} Vitals */
/** @typedef {import("../throughput.mjs").Throughput} Throughput */

/**
 * @param {NonNullable<Results["render"]>} render
 * @returns {Table[]}
 */
export function renderTables({ elements, opening }) {
  const [first] = elements;
  /** @param {Rendered} element @param {"define" | "one" | "hundred"} what */
  const cell = (element, what) =>
    element === first
      ? `1 = ${msOf(median(element[what] ?? []))}`
      : ratioOf(ratios(element[what] ?? [], first?.[what] ?? []));
  /** Where a peer is most ahead. @param {Rendered} element */
  const worst = (element) =>
    [
      ratios(element.define ?? [], first?.define ?? []),
      ratios(element.one, first?.one ?? []),
      ratios(element.hundred, first?.hundred ?? []),
    ].reduce((a, b) => (a.median < b.median ? a : b));
  const [ours, bare] = opening;
  return [
    {
      title: "First render",
      text:
        "From loading the script to the first render of an element that is already on the page; then one " +
        "more element, and a hundred at once. Ratios to `<oidc-login>` in the same turn.",
      head: ["Element", "By", "Script and first render", "One more", "A hundred", "Note"],
      rows: elements.map((element) => [
        `\`<${element.tag}>\``,
        titleOf(element.subject),
        cell(element, "define"),
        cell(element, "one"),
        cell(element, "hundred"),
        notes(
          element.note,
          isOurs(element.subject) ? "" : reasonFor("first render", element.subject, worst(element)),
        ),
      ]),
    },
    {
      title: "Opening the dialog",
      text:
        "A click that starts a protected request, answered at once: to the next paint, and to the first " +
        "paint with the dialog open. For comparison, the minimum: a click that opens an empty `<dialog>`. " +
        "No peer has such an element.",
      head: ["What opens", "Click to next paint", "Click to the open dialog"],
      rows: [bare, ours].flatMap((one) =>
        one
          ? [
              [
                one.what,
                one === bare
                  ? `1 = ${msOf(median(one.nextPaint))}`
                  : ratioOf(ratios(one.nextPaint, bare?.nextPaint ?? [])),
                one === bare
                  ? `1 = ${msOf(median(one.shown))}`
                  : ratioOf(ratios(one.shown, bare?.shown ?? [])),
              ],
            ]
          : [],
      ),
    },
  ];
}

/**
 * @param {Vitals[]} vitals
 * @returns {Table}
 */
export function vitalsTable(vitals) {
  const [first] = vitals;
  /** @param {Vitals} page @param {"lcp" | "inp"} what */
  const cell = (page, what) => {
    if (page[what].length === 0) return "";
    // What is faster than the browser tells.
    const own = (first?.[what] ?? []).map((ms) => Math.max(ms, 16));
    const ms = page[what].map((each) => Math.max(each, 16));
    return page === first ? `1 = ${msOf(median(ms))}` : ratioOf(ratios(ms, own));
  };
  return {
    title: "On a slow device",
    text:
      "By the browser's own measures, with a CPU a quarter as fast and Chromium's slow 4G: Largest Contentful Paint, " +
      "a click's Interaction to Next Paint, and Cumulative Layout Shift (the largest of all turns). Ratios to the first row in the same turn. " +
      "All pages are served uncompressed; the peers' have nothing but their element.",
    head: ["Page", "By", "LCP", "INP", "CLS"],
    rows: vitals.map((page) => [
      page.what,
      titleOf(page.subject),
      cell(page, "lcp"),
      cell(page, "inp"),
      Math.max(...page.cls).toFixed(3),
    ]),
  };
}

/**
 * @param {readonly Throughput[]} throughput
 * @returns {Table}
 */
export function throughputTable(throughput) {
  return {
    title: "Throughput",
    text:
      "How much a page does per second with its servers inside the page, so without any network. The " +
      "ratio compares the time for one: more than 1 is slower than ours.",
    head: ["Task", "By", "A second", "Ratio", "Note"],
    rows: throughput.map((entry, nth) => {
      const ours = throughput.find(({ task, subject }) => task === entry.task && isOurs(subject));
      const slower = ratios(ours?.perSecond ?? [], entry.perSecond);
      return [
        throughput[nth - 1]?.task === entry.task ? "" : entry.task,
        titleOf(entry.subject),
        number(median(entry.perSecond)),
        entry === ours ? "1" : ratioOf(slower),
        notes(entry.note, reasonFor(entry.task, entry.subject, slower)),
      ];
    }),
  };
}
