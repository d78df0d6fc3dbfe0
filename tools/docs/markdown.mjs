// Tables of Markdown.

/**
 * A text in one line, with escaped bars.
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
