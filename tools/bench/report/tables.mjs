// What was found, as tables: for the terminal, for docs/benchmarks.md.
import { budgetTable } from "./budgets.mjs";
import { heapTable, soakTable } from "./endurance-tables.mjs";
import { bytesTables, roundTripTable, visitTable } from "./loading-tables.mjs";
import { renderTables, throughputTable, vitalsTable } from "./page-tables.mjs";

/**
 * @typedef {object} Table
 * @property {string} title
 * @property {string} text What is measured, and how.
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 */

/** What is in tools/bench/results.json; a section that was not measured yet is missing.
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
