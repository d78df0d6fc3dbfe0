// The navigation of the documentation. The site's sidebar and llms.txt come from it.
import { readFileSync } from "node:fs";

/**
 * @typedef {object} Page
 * @property {string} path From the root of the repository.
 * @property {string} title The page's heading.
 * @property {string} description One sentence.
 * @property {boolean} [onlyOnSite] `npm run site` generates it.
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
