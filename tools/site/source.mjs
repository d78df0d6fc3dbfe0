// The repository's files that the site uses in addition to its pages.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { navigation } from "../docs/nav.mjs";
import { repositoryPage } from "../release/metadata.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A key, in a color that both schemes have enough contrast for. */
export const ICON =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3b73e0" stroke-width="2"><circle cx="5" cy="8" r="3"/><path d="M8 8h7v3M12 8v3"/></svg>',
  );

export const project = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));

export const repository = repositoryPage(project);

/**
 * Groups inside another are closed, except the one with the open page.
 *
 * @param {import("../docs/nav.mjs").Page | import("../docs/nav.mjs").Group} item
 * @param {number} depth
 * @returns {object}
 */
const sidebarItem = (item, depth) =>
  "items" in item
    ? {
        text: item.title,
        items: item.items.map((each) => sidebarItem(each, depth + 1)),
        ...(depth > 0 && { collapsed: true }),
      }
    : { text: shortTitle(item), link: item.path === "README.md" ? "/" : `/${item.path}` };

/**
 * The title in HTML. The quick starts are below "Get started", so their subject is enough.
 *
 * @param {import("../docs/nav.mjs").Page} page
 */
export const shortTitle = ({ path, title, shortTitle: short = title }) => {
  if (path === "README.md") return "Overview";
  if (path.startsWith("docs/reference/elements/")) return `&lt;${title}&gt;`;
  return short.replace(/^Add Matrix sign-in to an? (.+?)(?: app| page| client| program)?$/, "$1");
};

export const sidebar = navigation.map((item) => sidebarItem(item, 0));
