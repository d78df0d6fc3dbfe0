// What was found, as tables: for the terminal, for docs/benchmarks.md.
import { titleOf } from "../peers.mjs";
import { median, ratios } from "../samples.mjs";
import { leftOver } from "../soak.mjs";
import { budgetTable } from "./budgets.mjs";
import { reasonFor } from "./reasons.mjs";

/**
 * @typedef {object} Table
 * @property {string} title
 * @property {string} text What is measured, and how.
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 */

/** What is in bench/results.json; a section that was not measured yet is missing.
 * @typedef {object} Results
 * @property {string} date
 * @property {{ cpu: string, cores: number, memoryGiB: number, os: string, node: string }} machine
 * @property {string} chromium
 * @property {Record<string, string>} peers
 * @property {{ jobs: Job[], scriptTag: Record<string, Bytes & { files: string[] }>, own: Own }} [bytes]
 * @property {RoundTrips[]} [roundTrips]
 * @property {Visit[]} [visits]
 * @property {{ elements: Rendered[], opening: Opening[] }} [render]
 * @property {Vitals[]} [vitals]
 * @property {Throughput[]} [throughput]
 * @property {Left[]} [heap]
 * @property {Soak} [soak]
 */

/** @typedef {import("../bundle.mjs").Bytes} Bytes */
/** @typedef {import("../bytes.mjs").Job} Job */
/** @typedef {import("../bytes.mjs").Own} Own */
/** @typedef {import("../round-trips.mjs").RoundTrips} RoundTrips */
/** @typedef {import("../visit.mjs").Visit} Visit */
/** @typedef {import("../render.mjs").Rendered} Rendered */
/** @typedef {import("../render.mjs").Opening} Opening */
/** @typedef {import("../vitals.mjs").Vitals} Vitals */
/** @typedef {import("../throughput.mjs").Throughput} Throughput */
/** @typedef {import("../heap.mjs").Left} Left */
/** @typedef {import("../soak.mjs").Soak & { date: string }} Soak */

export const isOurs = (/** @type {string} */ subject) => subject.startsWith("ours");

const NUMBER = new Intl.NumberFormat("en-US");
/** @param {number} bytes */
export const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
/** @param {number} ratio */
const times = (ratio) => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}×`;
/** @param {import("../samples.mjs").Spread} spread */
export const ratioOf = ({ median, min, max }) => `${times(median)} (${times(min)} – ${times(max)})`;
/** @param {number} ms */
const msOf = (ms) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
export const number = (/** @type {number} */ value) => NUMBER.format(Math.round(value));

/** @param {...(string | undefined)} parts */
const notes = (...parts) => parts.filter(Boolean).join("; ");

/** @param {Partial<Results>} results @returns {Table[]} */
export const tablesOf = (results) => [
  ...(results.bytes ? bytesTables(results.bytes) : []),
  ...(results.roundTrips ? [roundTripTable(results.roundTrips)] : []),
  ...(results.visits ? [visitTable(results.visits)] : []),
  ...(results.render ? renderTables(results.render) : []),
  ...(results.vitals ? [vitalsTable(results.vitals)] : []),
  ...(results.throughput ? [throughputTable(results.throughput)] : []),
  ...(results.heap ? [heapTable(results.heap)] : []),
  ...(results.soak ? [soakTable(results.soak)] : []),
  ...(results.bytes && results.roundTrips ? [budgetTable(/** @type {Results} */ (results))] : []),
];

/**
 * @param {NonNullable<Results["bytes"]>} bytes
 * @returns {Table[]}
 */
function bytesTables({ jobs, scriptTag }) {
  return [
    {
      title: "Bytes",
      text:
        "What an application imports for the same job, bundled and minified in the same way by esbuild. " +
        "At once: what is loaded with the page. All: also whatever can be loaded later, except other languages. " +
        "The ratio compares the gzip size (level 9) of what is loaded at once.",
      head: ["Job", "By", "Minified", "gzip", "brotli", "All, gzip", "Ratio", "Note"],
      rows: jobs.flatMap(({ job, rows }) =>
        rows.map(({ subject, note, first, all, without }, nth) => [
          nth === 0 ? job : "",
          titleOf(subject),
          kb(first.minified),
          kb(first.gzip),
          kb(first.brotli),
          kb(all.gzip),
          nth === 0 ? "1" : times(first.gzip / (rows[0]?.first.gzip ?? NaN)),
          notes(
            note,
            without && `without ${without.what}: ${kb(without.first.gzip)}`,
            reasonFor(job, subject, ratios([first.gzip], [rows[0]?.first.gzip ?? NaN])),
          ),
        ]),
      ),
    },
    {
      title: "What pages load with a script tag",
      text: "As observed in a page: which files of `dist/cdn/` it requested.",
      head: ["Loaded", "Minified", "gzip", "brotli", "Files"],
      rows: Object.entries(scriptTag).map(([title, { minified, gzip, brotli, files }]) => [
        title,
        kb(minified),
        kb(gzip),
        kb(brotli),
        files.join(", "),
      ]),
    },
  ];
}

/**
 * @param {readonly RoundTrips[]} roundTrips
 * @returns {Table}
 */
function roundTripTable(roundTrips) {
  const delays = Object.keys(roundTrips[0]?.ms ?? {});
  return {
    title: "Round trips",
    text:
      "Requests that wait for one another, counted at the bench's own homeserver and provider, each on a " +
      "host of its own; in parentheses including the browsers' preflights. Then the time that passes in the page if each response is delayed by that many " +
      "milliseconds, as a ratio to ours in the same turn: median (smallest – largest).",
    head: ["Step", "By", "In a row", "Requests", ...delays.map((ms) => `at ${ms} ms`), "Note"],
    rows: roundTrips.map((entry, nth) => {
      const ours = roundTrips.find(({ step, subject }) => step === entry.step && isOurs(subject));
      const isFirst = roundTrips[nth - 1]?.step !== entry.step;
      // The longest delay: with shorter ones a machine's own time is most of it.
      const last = delays.at(-1) ?? "";
      const slowest = ratios(entry.ms[last] ?? [], ours?.ms[last] ?? []);
      return [
        isFirst ? entry.step : "",
        titleOf(entry.subject),
        `${entry.inARow} (${entry.withPreflights})`,
        String(entry.requests),
        ...delays.map((delay) =>
          entry === ours
            ? `1 = ${msOf(median(entry.ms[delay] ?? []))}`
            : ratioOf(ratios(entry.ms[delay] ?? [], ours?.ms[delay] ?? [])),
        ),
        notes(entry.note, reasonFor(entry.step, entry.subject, slowest)),
      ];
    }),
  };
}

/**
 * @param {Visit[]} visits
 * @returns {Table}
 */
function visitTable(visits) {
  const [ours] = visits;
  const delays = Object.keys(ours?.by.cold.ms ?? {});
  return {
    title: "A whole visit",
    text:
      "A person signs in at a homeserver, comes back from the provider, and confirms a request: what is downloaded of scripts (gzip, level 9), and how long it takes, " +
      "with an empty cache and once more with a full one, if each response is delayed by that many milliseconds: " +
      "as a ratio to ours in the same turn, median (smallest – largest).",
    head: ["By", "Cache", "gzip", "Files", ...delays.map((ms) => `at ${ms} ms`), "Note"],
    rows: visits.flatMap(({ subject, note, by }) =>
      /** @type {const} */ (["cold", "warm"]).map((cache) => [
        cache === "cold" ? titleOf(subject) : "",
        cache === "cold" ? "empty" : "full",
        kb(by[cache].gzip),
        String(by[cache].files),
        ...delays.map((delay) => {
          const own = ours?.by[cache].ms[delay] ?? [];
          const ms = by[cache].ms[delay] ?? [];
          return subject === ours?.subject ? `1 = ${msOf(median(ms))}` : ratioOf(ratios(ms, own));
        }),
        cache === "cold" ? note : "",
      ]),
    ),
  };
}

/**
 * @param {NonNullable<Results["render"]>} render
 * @returns {Table[]}
 */
function renderTables({ elements, opening }) {
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
 * @param {readonly Throughput[]} throughput
 * @returns {Table}
 */
function throughputTable(throughput) {
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

/**
 * @param {readonly Left[]} heap
 * @returns {Table}
 */
function heapTable(heap) {
  return {
    title: "What stays in memory",
    text:
      "After a warm-up, from the first to the last forced garbage collection: how much the heap has grown " +
      "per repetition, and what else is left over.",
    head: [
      "What was done",
      "By",
      "Times",
      "Heap, each",
      "Nodes",
      "Listeners",
      "Timers",
      "Channels",
      "Locks",
    ],
    rows: heap.map((left) => [
      left.what.replace(/<[\w-]+>/, "`$&`"),
      titleOf(left.subject),
      number(left.count),
      `${number(growth(left))} bytes`,
      ...[left.nodes, left.listeners, left.timers, left.channels, left.locks].map(String),
    ]),
  };
}

/** @param {Left} left @returns Bytes for each time. */
export const growth = ({ heap, count }) => ((heap.at(-1) ?? NaN) - (heap[0] ?? NaN)) / count;

/**
 * @param {Vitals[]} vitals
 * @returns {Table}
 */
function vitalsTable(vitals) {
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
 * @param {Soak} soak
 * @returns {Table}
 */
function soakTable({ date, signIns, counts, begunAgain, lost, forgotten, grown }) {
  const { requests, refreshes, retries, reused } = counts;
  const failed = [counts.lost, counts.late, counts.limited + counts.unavailable].map(number);
  /** @param {(left: Soak["grown"][number]) => number} of */
  const inTabs = (of) => grown.map((left) => number(of(left))).join(", ");
  return {
    title: "Endurance",
    text:
      `Run on ${date} by \`npm run bench -- --soak\`. One user after the other signs in in one tab, is there in a ` +
      "second tab and a service worker too, makes requests in all three at once while access tokens end every 20 " +
      "seconds or earlier, and signs out. The clocks of all run 100 times as fast. The provider rotates refresh " +
      "tokens, and takes the one before the last only until the new tokens are used.",
    head: ["What", "How often"],
    rows: [
      ["sign-ins", number(signIns)],
      ["of these, begun again: the answer with the tokens was lost", number(begunAgain)],
      ["requests", number(requests)],
      ["of these, answered never, late, or by HTTP 429 and 503", failed.join(", ")],
      ["refreshes", number(refreshes)],
      ["of these, repeated because the answer was lost", number(retries)],
      ["sessions lost", number(lost.length)],
      ["refresh tokens used twice", number(reused)],
      ["devices that stayed signed in at the provider", number(forgotten)],
      [
        "growth of the heap for each sign-in, in bytes, in each tab",
        inTabs((left) => left.heap / signIns),
      ],
      ["listeners, timers, channels and locks left over, in each tab", inTabs(leftOver)],
    ],
  };
}
