// What the tests have shown of each operation, by column of the table in docs/compatibility.md: `coverage/operations/`.
// Test reporters know files and titles, but not which operation a test shows with which server and browser.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = "coverage/operations";

/** Before it, the version of what is tried; after it, an operation on each line. */
const MARK = "# ";

/**
 * Forgets what was shown in a column: a tier of tests is starting, which records it again.
 *
 * @param {string} column
 * @param {string} version Of what is tried: `Firefox 140.5`.
 */
export async function beginColumn(column, version) {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, column), `${MARK}${version}\n`);
}

/**
 * Forgets a column whose tests are left out: what an earlier run has shown is not true of this one.
 *
 * @param {string} column
 */
export const leaveOutColumn = (column) => rm(join(FOLDER, column), { force: true });

/**
 * @param {string} column
 * @returns {Promise<{ version: string, shown: Set<string> } | undefined>} undefined where its tests have
 *   not been run.
 */
export async function readColumn(column) {
  const text = await readFile(join(FOLDER, column), "utf8").catch(() => "");
  const [first = "", ...lines] = text.trim().split("\n");
  if (!first.startsWith(MARK)) return undefined;
  return { version: first.slice(MARK.length), shown: new Set(lines) };
}
