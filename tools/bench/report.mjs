// What can be measured, and the tables of what was found: for the terminal, and for two pages of the documentation.
import { readFile } from "node:fs/promises";
import { format } from "prettier";
import { account } from "./account.mjs";
import { DELAYS } from "./browser.mjs";
import { bytes } from "./bytes.mjs";
import { isOurs, kb, median, ratios, times, titleOf } from "./figures.mjs";
import { heap } from "./heap.mjs";
import { render } from "./render.mjs";
import { roundTrips } from "./round-trips.mjs";
import { throughput } from "./throughput.mjs";
import { visit } from "./visit.mjs";
import { vitals } from "./vitals.mjs";

/**
 * What a measurement needs.
 *
 * @typedef {object} Bench
 * @property {import("./browser.mjs").Browser} browser
 * @property {Awaited<ReturnType<typeof import("./servers.mjs").startServers>>} servers
 * @property {Awaited<ReturnType<typeof import("./site.mjs").startSite>>} site
 * @property {boolean} quick Whether everything is hardly repeated.
 */

/**
 * A measurement, and the table of its results.
 *
 * @template Row
 * @typedef {object} Section
 * @property {string} title
 * @property {string} text What is measured, and how.
 * @property {readonly string[]} head
 * @property {(bench: Bench) => Promise<Row[]>} measure
 * @property {(row: Row, rows: readonly Row[]) => readonly string[]} cells
 */

/**
 * By their names on the command line and in results.json, in the order of the tables.
 *
 * @type {Record<string, Section<any>>}
 */
export const SECTIONS = {
  bytes,
  "round-trips": roundTrips,
  visit,
  render,
  vitals,
  account,
  throughput,
  heap,
};

/**
 * What is in results.json: the date, the machine, and the peers of the run, and the rows of each section.
 *
 * @typedef {Record<string, any>} Results
 */

/** The page for users, and the one with everything. */
export const PAGES = ["docs/concepts/performance.md", "docs/development/benchmarks.md"];

/** The part of a page between these is generated. The rest is written manually. */
const MADE = /(<!-- bench: npm run bench -->\n)[^]*?(\n<!-- end -->)/;

/** Tags outside of code would be tags. @param {string} text */
const escaped = (text) => text.replace(/(^|[^`])(<[\w-]+>)/g, "$1`$2`");

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const tableOf = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => escaped(cell.replaceAll("|", "\\|"))).join(" | ")} |`)
    .join("\n");

/** @param {Results} results */
const tablesOf = (results) =>
  Object.entries(SECTIONS)
    .filter(([name]) => results[name])
    .map(([name, { title, text, head, cells }]) => {
      const rows = results[name].map((/** @type {unknown} */ row) => cells(row, results[name]));
      return `## ${title}\n\n${escaped(text)}\n\n${tableOf(head, rows)}`;
    });

/** @param {Results} results */
const runOf = ({ date, machine, peers }) => `Run on ${date}: ${machine}; ${peers.join(", ")}.`;

/**
 * A row of the summary for each task that peers do too.
 *
 * @template {{ task: string, subject: string }} Row
 * @param {string} what
 * @param {readonly Row[]} rows
 * @param {(ours: Row) => string} own
 * @param {(peer: Row, ours: Row) => string} theirs
 */
const summaryRows = (what, rows, own, theirs) =>
  rows
    .filter(({ subject }) => isOurs(subject))
    .map((ours) => {
      const peers = rows
        .filter(({ task, subject }) => task === ours.task && !isOurs(subject))
        .map((peer) => `${titleOf(peer.subject)} ${theirs(peer, ours)}`);
      return [`${what}: ${ours.task}`, own(ours), peers.join(", ")];
    })
    .filter(([, , peers]) => peers);

/** The summary for users. @param {Results} results */
function summaryOf(results) {
  /** @type {import("./bytes.mjs").Weight[]} */
  const weights = results.bytes;
  const sizes = summaryRows(
    "gzip",
    weights.filter(
      ({ task, subject }) => task !== "elements, bundled" && !subject.endsWith("-client"),
    ),
    ({ gzip }) => kb(gzip),
    ({ gzip, without }) =>
      kb(gzip) + (without ? ` (without ${without.what}: ${kb(without.gzip)})` : ""),
  );
  /** @type {import("./round-trips.mjs").RoundTrips[]} */
  const steps = results["round-trips"];
  const delay = DELAYS.at(-1) ?? NaN;
  const requests = summaryRows(
    "sequential requests",
    steps,
    ({ inARow }) => String(inARow),
    (peer, ours) => `${peer.inARow} (${times(median(ratios(peer.ms[delay], ours.ms[delay])))})`,
  );
  return `${tableOf(["Job", "Ours", "Peers"], [...sizes, ...requests])}

In parentheses after requests: the time with a delay of ${delay} ms for each response, relative to ours.`;
}

/** @param {Results} results @returns For a terminal. */
export const printed = (results) =>
  format([...tablesOf(results), runOf(results)].join("\n\n"), { parser: "markdown" });

/**
 * @param {string} path of one of {@link PAGES}
 * @param {Results} results
 * @returns The page with them.
 */
export async function pageWith(path, results) {
  const present = await readFile(path, "utf8");
  if (!MADE.test(present)) throw new Error(`${path} has no place for the bench's results`);
  const parts = path === PAGES[0] ? [summaryOf(results)] : tablesOf(results);
  const made = [runOf(results), ...parts].join("\n\n");
  const page = present.replace(MADE, (_, begin, end) => `${begin}\n${made}\n${end}`);
  return format(page, { parser: "markdown", printWidth: 100 });
}
