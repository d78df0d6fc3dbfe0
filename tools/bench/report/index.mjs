// What was found, as tables of Markdown: for the terminal, and for two pages of the documentation.
import { readFile } from "node:fs/promises";
import { format } from "prettier";
import { titleOf } from "../peers.mjs";
import { ratios } from "../samples.mjs";
import { heapTable, soakTable } from "./endurance-tables.mjs";
import { isOurs, kb, times } from "./format.mjs";
import { bytesTables, roundTripTable, visitTable } from "./loading-tables.mjs";
import { renderTable, throughputTable, vitalsTable } from "./page-tables.mjs";

/** The page for users, and the one with everything. */
export const PAGES = ["docs/concepts/performance.md", "docs/development/benchmarks.md"];

/** The part of a page between these is generated. The rest is written manually. */
const MADE = /(<!-- bench: npm run bench -->\n)[^]*?(\n<!-- end -->)/;

/**
 * @typedef {object} Table
 * @property {string} title
 * @property {string} text What is measured, and how.
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 */

/**
 * What is in results.json; a section that was not measured yet is missing.
 *
 * @typedef {object} Results
 * @property {string} date
 * @property {{ cpu: string, cores: number, memoryGiB: number, os: string, node: string }} machine
 * @property {string} chromium
 * @property {Record<string, string>} peers
 * @property {import("../bytes.mjs").Weighed} [bytes]
 * @property {import("../round-trips.mjs").RoundTrips[]} [roundTrips]
 * @property {import("../visit.mjs").Visit[]} [visits]
 * @property {import("../render.mjs").Rendered[]} [render]
 * @property {import("../vitals.mjs").Vitals[]} [vitals]
 * @property {import("../throughput.mjs").Throughput[]} [throughput]
 * @property {import("../heap.mjs").Left[]} [heap]
 * @property {import("../soak.mjs").Soak & { date: string }} [soak]
 */

/** @param {Partial<Results>} results @returns {Table[]} */
const tablesOf = (results) => [
  ...(results.bytes ? bytesTables(results.bytes) : []),
  ...(results.roundTrips ? [roundTripTable(results.roundTrips)] : []),
  ...(results.visits ? [visitTable(results.visits)] : []),
  ...(results.render ? [renderTable(results.render)] : []),
  ...(results.vitals ? [vitalsTable(results.vitals)] : []),
  ...(results.throughput ? [throughputTable(results.throughput)] : []),
  ...(results.heap ? [heapTable(results.heap)] : []),
  ...(results.soak ? [soakTable(results.soak)] : []),
];

/** Tags outside of code would be tags. @param {string} text */
const escaped = (text) => text.replace(/(^|[^`])(<[\w-]+>)/g, "$1`$2`");

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
const tableOf = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => escaped(cell.replaceAll("|", "\\|"))).join(" | ")} |`)
    .join("\n");

/** @param {Partial<Results>} results */
function runOf({ date, machine, chromium, peers = {} }) {
  if (!machine) return "";
  const names = Object.entries(peers).map(
    ([name, version]) => `${name.replace(/ \d+$/, "")} ${version}`,
  );
  return `Run on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.os}, Chromium ${chromium}; ${names.join(", ")}.`;
}

/**
 * The rows of the summary for users.
 *
 * @param {Partial<Results>} results
 */
function summaryOf({ bytes, roundTrips = [] }) {
  const sizes = (bytes?.jobs ?? [])
    .filter(({ job }) => job !== "elements, bundled")
    .map(({ job, rows }) => {
      const [ours, ...peers] = rows.filter(({ subject }) => !subject.endsWith("-client"));
      const theirs = peers.map(({ subject, first, without }) => {
        const less = without ? ` (without ${without.what}: ${kb(without.first.gzip)})` : "";
        return `${titleOf(subject)} ${kb(first.gzip)}${less}`;
      });
      return [`gzip: ${job}`, kb(ours?.first.gzip ?? NaN), theirs.join(", ")];
    });
  const delay = Object.keys(roundTrips[0]?.ms ?? {}).at(-1) ?? "";
  const requests = roundTrips
    .filter(({ subject }) => isOurs(subject))
    .map((ours) => {
      const theirs = roundTrips
        .filter(({ step, subject }) => step === ours.step && !isOurs(subject))
        .map(({ subject, inARow, ms }) => {
          const { median } = ratios(ms[delay] ?? [], ours.ms[delay] ?? []);
          return `${titleOf(subject)} ${inARow} (${times(median)})`;
        });
      return [`sequential requests: ${ours.step}`, String(ours.inARow), theirs.join(", ")];
    })
    .filter(([, , theirs]) => theirs);
  return `${tableOf(["Job", "Ours", "Peers"], [...sizes, ...requests])}

In parentheses after requests: the time with a delay of ${delay} ms for each response, relative to ours.`;
}

/**
 * @param {Partial<Results>} results
 * @returns {Promise<string>} For a terminal.
 */
export const printed = (results) =>
  format(
    [...tablesOf(results).map(({ title, head, rows }) => `## ${title}\n\n${tableOf(head, rows)}`)]
      .concat(runOf(results))
      .join("\n\n"),
    { parser: "markdown" },
  );

/**
 * @param {string} path of one of {@link PAGES}
 * @param {Results} results
 * @returns {Promise<string>} The page with them.
 */
export async function pageWith(path, results) {
  const present = await readFile(path, "utf8");
  if (!MADE.test(present)) throw new Error(`${path} has no place for the bench's results`);
  const tables = tablesOf(results).map(
    ({ title, text, head, rows }) => `## ${title}\n\n${escaped(text)}\n\n${tableOf(head, rows)}`,
  );
  const parts = path === PAGES[0] ? [summaryOf(results)] : tables;
  const made = [runOf(results), ...parts].join("\n\n");
  const page = present.replace(MADE, (_, begin, end) => `${begin}\n${made}\n${end}`);
  return format(page, { parser: "markdown", printWidth: 100 });
}
