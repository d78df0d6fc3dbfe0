// Reports the results: in the terminal, in docs/benchmarks.md with its chart.
import { readFile, writeFile } from "node:fs/promises";
import { format } from "prettier";
import { chart } from "./chart.mjs";
import { machineOf, tables } from "./markdown.mjs";
import { tablesOf } from "./tables.mjs";
import { printed } from "./terminal.mjs";

/** @typedef {import("./tables.mjs").Results} Results */

/** Between these the pages are made, the rest of them is written by people. */
const MADE = /(<!-- bench: npm run bench -->\n)[^]*?(\n<!-- end -->)/;

/** @param {Partial<Results>} results */
export function print(results) {
  for (const table of tablesOf(results)) console.log(printed(table));
  if (results.machine) console.log(machineOf(/** @type {Results} */ (results)));
}

/**
 * What the bench writes, by path.
 *
 * @param {Results} results
 * @returns {Promise<Record<string, string>>}
 */
export async function pagesOf(results) {
  /** @type {(path: string, made: string) => Promise<string>} */
  const page = async (path, made) => {
    const present = await readFile(path, "utf8");
    if (!MADE.test(present)) throw new Error(`${path} has no place for what the bench found`);
    const text = present.replace(MADE, (_, begin, end) => `${begin}\n${made}\n${end}`);
    return format(text, { parser: "markdown", printWidth: 100 });
  };
  return {
    "docs/benchmarks.svg": chart(results),
    "docs/benchmarks.md": await page("docs/benchmarks.md", tables(results)),
  };
}

/** @param {Results} results */
export async function write(results) {
  for (const [path, text] of Object.entries(await pagesOf(results))) {
    await writeFile(path, text);
    console.log(`wrote ${path}`);
  }
}
