// Tables in Markdown.
import { titleOf } from "../peers.mjs";
import { ratios } from "../samples.mjs";
import { isOurs, kb, ratioOf } from "./format.mjs";
import { tablesOf } from "./tables.mjs";

/** @typedef {import("./tables.mjs").Results} Results */

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Tags outside of code would be tags. @param {string} text */
const escaped = (text) => text.replace(/(^|[^`])(<[\w-]+>)/g, "$1`$2`");

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
const table = (head, rows) =>
  [row(head), row(head.map(() => "---")), ...rows.map((cells) => row(cells.map(escaped)))].join(
    "\n",
  );

/** @param {Results} results Where and when, in a sentence. */
export function machineOf({ date, machine, chromium, peers }) {
  const { cpu, cores, memoryGiB, os } = machine;
  const names = Object.entries(peers).map(
    ([name, version]) => `${name.replace(/ \d+$/, "")} ${version}`,
  );
  return `Run on ${date}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${os}, Chromium ${chromium}; ${names.join(", ")}.`;
}

/** @param {Results} results What docs/benchmarks.md has. */
export const tables = (results) =>
  [
    "![Download sizes and sequential requests; the tables have the same figures](benchmarks.svg)",
    machineOf(results),
    summary(results),
    ...tablesOf(results).map(
      ({ title, text, head, rows }) => `## ${title}\n\n${escaped(text)}\n\n${table(head, rows)}`,
    ),
  ].join("\n\n");

/**
 * A row for each thing that people ask first.
 *
 * @param {Results} results
 */
function summary({ bytes, roundTrips = [] }) {
  /** @type {string[][]} */
  const rows = [];
  for (const { job, rows: weights } of bytes?.jobs ?? []) {
    if (job === "elements, bundled") continue;
    const [ours, ...peers] = weights.filter(({ subject }) => !subject.endsWith("-client"));
    if (!ours) continue;
    rows.push([
      `gzip: ${job}`,
      kb(ours.first.gzip),
      peers
        .map(({ subject, first, without }) => {
          const less = without ? ` (without ${without.what}: ${kb(without.first.gzip)})` : "";
          return `${titleOf(subject)} ${kb(first.gzip)}${less}`;
        })
        .join(", "),
    ]);
  }
  for (const ours of roundTrips.filter(({ subject }) => isOurs(subject))) {
    const peers = roundTrips.filter(({ step, subject }) => step === ours.step && !isOurs(subject));
    if (peers.length === 0) continue;
    const slowest = Object.keys(ours.ms).at(-1) ?? "";
    rows.push([
      `requests in a row: ${ours.step}`,
      String(ours.inARow),
      peers
        .map(({ subject, inARow, ms }) => {
          const ratio = ratios(ms[slowest] ?? [], ours.ms[slowest] ?? []);
          return `${titleOf(subject)} ${inARow} (${ratioOf(ratio).replace(/ .*/, "")})`;
        })
        .join(", "),
    ]);
  }
  const delay = Object.keys(roundTrips[0]?.ms ?? {}).at(-1);
  return `${table(["What", "Ours", "Peers"], rows)}

In parentheses after requests: the time it takes if each response is delayed by ${delay} ms, relative to ours.`;
}
