// `npm run table`: writes the table of operations in docs/compatibility.md from what the last runs of the tests have
// shown. With `--check` it writes nothing, and fails where the table says something else. No tool knows the
// operations.
import { readFile, writeFile } from "node:fs/promises";
import { format } from "prettier";
import { COLUMNS, OPERATIONS } from "./operations.mjs";
import { readColumn } from "./records.mjs";
import { main } from "../../scripts/run.mjs";

const PAGE = "docs/compatibility.md";
const TABLE = /(<!-- operations: npm run table -->)[^]*?(<!-- end -->)/;
/** What differs from machine to machine. */
const RUN = /^Shown .*$/m;

/** @typedef {{ version: string, shown: Set<string> }} Results */

/**
 * @param {Map<string, Results>} results
 * @param {string[]} faults What keeps the table from being made is added here.
 */
function tableOf(results, faults) {
  /** @type {string[]} */
  const reasons = [];
  /** @param {string} reason */
  const note = (reason) => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return `<sup>${reasons.indexOf(reason) + 1}</sup>`;
  };
  const rows = Object.entries(OPERATIONS).map(([name, { title, by, missing }]) => {
    const cells = [...results].map(([column, { shown }]) => {
      const reason = /** @type {Record<string, string>} */ (missing)[column];
      if (shown.has(name) && reason)
        faults.push(`${column} shows ${name} by now: drop the reason why it could not`);
      if (!shown.has(name) && !reason) faults.push(`${column} has not shown ${name}`);
      return shown.has(name) ? "✔" : note(reason ?? "");
    });
    return [title, by, ...cells];
  });
  const head = ["Operation", "By", ...Object.values(COLUMNS).map(({ title }) => title)];
  const rule = head.map((_, nth) => (nth < 2 ? "---" : ":-:"));
  const table = [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const notes = reasons.map((reason, nth) => `${nth + 1}. ${reason}`).join("\n");
  return `\n${table}\n\n${notes}\n`;
}

/** @param {Map<string, Results>} results */
function runOf(results) {
  const versions = [...new Set([...results.values()].map(({ version }) => version))];
  return `Shown on ${new Date().toISOString().slice(0, 10)} by ${versions.join(", ")}.`;
}

await main(async () => {
  const columns = await Promise.all(
    Object.entries(COLUMNS).map(async ([column, { title, tier }]) => {
      const results = await readColumn(column);
      if (!results) throw new Error(`Nothing is known of ${title}: run ${tier} first.`);
      return /** @type {const} */ ([column, results]);
    }),
  );
  const results = new Map(columns);
  /** @type {string[]} */
  const faults = [];
  const table = `${tableOf(results, faults)}\n${runOf(results)}\n`;
  if (faults.length > 0) throw new Error(`No table:\n- ${faults.join("\n- ")}`);

  const present = await readFile(PAGE, "utf8");
  if (!TABLE.test(present)) throw new Error(`${PAGE} has no place for the table.`);
  const page = present.replace(TABLE, (_, begin, end) => `${begin}\n${table}\n${end}`);
  const made = await format(page, { parser: "markdown", printWidth: 100 });
  const isSame = made.replace(RUN, "") === present.replace(RUN, "");
  if (!process.argv.includes("--check")) await writeFile(PAGE, made);
  else if (!isSame) throw new Error("The table of operations is out of date: run `npm run table`.");
  console.log("✔ The table of operations");
});
