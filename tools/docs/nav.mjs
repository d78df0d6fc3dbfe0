// The documentation's navigation, for the site's sidebar and llms.txt.
import { readFileSync } from "node:fs";

/**
 * @typedef {object} Page
 * @property {string} path The path from the repository's root.
 * @property {string} title The page's heading.
 * @property {string} [shortTitle] For the site's sidebar, if the title wouldn't fit into a line.
 * @property {string} description One sentence.
 * @property {boolean} [onlyOnSite] Whether `npm run site` generates the page.
 *
 * @typedef {object} Group
 * @property {string} title
 * @property {readonly (Page | Group)[]} items
 */

/** @type {readonly Group[]} */
export const navigation = JSON.parse(
  readFileSync(new URL("../../docs/nav.json", import.meta.url), "utf8"),
);

/**
 * @param {readonly (Page | Group)[]} items
 * @returns {readonly Page[]} The pages of all groups, in order.
 */
export const pagesOf = (items) =>
  items.flatMap((item) => ("items" in item ? pagesOf(item.items) : [item]));
