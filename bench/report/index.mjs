// What was found, for whoever asked for it.
import { printed } from "./terminal.mjs";
import { tablesOf } from "./tables.mjs";

/** @typedef {import("./tables.mjs").Results} Results */

/** @param {Results} results */
export function print(results) {
  for (const table of tablesOf(results)) console.log(printed(table));
}

/** @param {Results} results */
export async function write(results) {
  void results;
}
