// `npm run table`: writes the table of operations in docs/reference/compatibility.md from the
// tests' records in `coverage/operations/<tier>/<column>`.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { ensureChromium, ensureFirefox, versionOf } from "../../scripts/browser.mjs";
import { SYNAPSE_VERSION } from "../../scripts/synapse.mjs";
import { webKitVersion } from "../support/webkit.mjs";
import { COLUMNS, OPERATIONS } from "./operations.table.mjs";

const RECORDS = "coverage/operations";

export const PAGE = "docs/reference/compatibility.md";
const TABLE = /(<!-- operations: npm run table -->)[^]*?(<!-- end -->)/;
/** The line that depends on the machine. */
const RUN = /^Tested .*$/m;

/** @returns {Promise<Map<string, Set<string>>>} The recorded operations, by column. */
async function readRecords() {
  const shown = new Map(Object.keys(COLUMNS).map((column) => [column, new Set()]));
  for (const tier of await readdir(RECORDS).catch(() => [])) {
    for (const column of await readdir(join(RECORDS, tier))) {
      const lines = (await readFile(join(RECORDS, tier, column), "utf8")).trim().split("\n");
      for (const operation of lines) shown.get(column)?.add(operation);
    }
  }
  return shown;
}

/** @returns {Promise<string[]>} Cells that are empty without a reason, or recorded despite one. */
export async function faultsOfRecords() {
  const faults = [];
  for (const [column, shown] of await readRecords()) {
    const { title, tier } = COLUMNS[/** @type {keyof typeof COLUMNS} */ (column)];
    if (shown.size === 0) {
      faults.push(`${title} has no result: run ${tier} first.`);
      continue;
    }
    for (const [name, { missing }] of Object.entries(OPERATIONS)) {
      const hasReason = column in missing;
      if (shown.has(name) && hasReason) faults.push(`${title} shows ${name}: remove the reason.`);
      if (!shown.has(name) && !hasReason) faults.push(`${title} has not shown ${name}.`);
    }
  }
  return faults;
}

/** A cell is empty only for a reason, so the table does not depend on records. */
function makeTable() {
  /** @type {string[]} */
  const reasons = [];
  /** @param {string} reason */
  const note = (reason) => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return `<sup>${reasons.indexOf(reason) + 1}</sup>`;
  };
  const rows = Object.values(OPERATIONS).map(({ title, by, missing }) => {
    const cells = Object.keys(COLUMNS).map((column) => {
      const reason = /** @type {Record<string, string>} */ (missing)[column];
      return reason === undefined ? "✔" : note(reason);
    });
    return [title, by, ...cells];
  });
  const head = ["Operation", "API", ...Object.values(COLUMNS).map(({ title }) => title)];
  const rule = head.map((_, nth) => (nth < 2 ? "---" : ":-:"));
  const table = [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const notes = reasons.map((reason, nth) => `${nth + 1}. ${reason}`).join("\n");
  return `\n${table}\n\n${notes}\n`;
}

async function versions() {
  const provider = JSON.parse(await readFile("node_modules/oidc-provider/package.json", "utf8"));
  return [
    `oidc-provider ${provider.version}`,
    `Synapse ${SYNAPSE_VERSION}`,
    `Chromium ${versionOf(await ensureChromium())}`,
    `Firefox ${versionOf(await ensureFirefox())}`,
    `WebKit ${await webKitVersion()}`,
  ].join(", ");
}

/**
 * @param {string} page The current text of docs/reference/compatibility.md.
 * @returns {Promise<string>} The text with the new table.
 */
export function withTable(page) {
  const [run = ""] = RUN.exec(page) ?? [];
  const table = page.replace(
    TABLE,
    (_, begin, end) => `${begin}\n${makeTable()}\n${run}\n\n${end}`,
  );
  return format(table, { parser: "markdown", printWidth: 100 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = await faultsOfRecords();
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exit(1);
  }
  const shown = `Tested on ${new Date().toISOString().slice(0, 10)} with ${await versions()}.`;
  await writeFile(PAGE, (await withTable(await readFile(PAGE, "utf8"))).replace(RUN, shown));
}
