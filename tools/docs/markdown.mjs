// Tables of Markdown.

/**
 * A text that is one line, and ends no cell by a bar.
 *
 * @param {string} [text]
 */
export const cell = (text = "") => text.replace(/\s+/g, " ").replace(/\|/g, "\\|");

/**
 * @param {string[]} head
 * @param {string[][]} rows of cells
 */
export function table(head, rows) {
  const rule = head.map(() => "---");
  return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
