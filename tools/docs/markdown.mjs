// Markdown tables, and their places in handwritten pages.

/**
 * Puts a text on one line, with escaped bars.
 *
 * @param {string} [text]
 */
export const cell = (text = "") => text.replace(/\s+/g, " ").replace(/\|/g, "\\|");

/**
 * @param {string[]} head
 * @param {string[][]} rows The cells of each row.
 */
export function table(head, rows) {
  const rule = head.map(() => "---");
  return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * @param {string} page
 * @param {string} mark The comment at the start of the generated part.
 * @param {string} text
 * @returns {string} The page with the text between the mark and `<!-- end -->`.
 */
export function filled(page, mark, text) {
  const place = new RegExp(`(?<=<!-- ${mark} -->)[^]*?(?=<!-- end -->)`);
  if (!place.test(page)) throw new Error(`The page has no <!-- ${mark} -->`);
  return page.replace(place, () => `\n\n${text}\n\n`);
}
