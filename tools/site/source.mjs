// The repository's files that the site uses in addition to its pages.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { navigation } from "../docs/nav.mjs";
import { repositoryPage } from "../release/metadata.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export const project = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));

export const repository = repositoryPage(project);

/** @param {import("../docs/nav.mjs").Page | import("../docs/nav.mjs").Group} item */
const sidebarItem = (item) =>
  "items" in item
    ? { text: item.title, items: item.items.map(sidebarItem) }
    : { text: item.title, link: item.path === "README.md" ? "/" : `/${item.path}` };

export const sidebar = navigation.map(sidebarItem);
