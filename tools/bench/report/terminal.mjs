// Tables in a terminal.

/** @param {readonly string[]} cells @param {readonly number[]} widths */
const line = (cells, widths) =>
  cells
    .map((cell, nth) => cell.padEnd(widths[nth] ?? 0))
    .join("  ")
    .trimEnd();

/** @param {import("./tables.mjs").Table} table */
export function printed({ title, head, rows }) {
  const widths = head.map((_, nth) =>
    Math.max(...[head, ...rows].map((row) => row[nth]?.length ?? 0)),
  );
  const rule = widths.map((width) => "─".repeat(width));
  return `\n${title}\n\n${[head, rule, ...rows].map((row) => line(row, widths)).join("\n")}\n`;
}
