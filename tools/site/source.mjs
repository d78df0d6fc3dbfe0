// What the site takes from the repository besides its pages.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { repositoryPage } from "../release/metadata.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path) => readFileSync(ROOT + path, "utf8");

export const project = JSON.parse(read("package.json"));

export const repository = repositoryPage(project);

export const hasPlayground = existsSync(`${ROOT}tools/site/playground`);

const LINK = /\[([^\]]+)\]\((docs\/[\w/-]+\.md)\)/g;

/** The list of documents in README.md: a line for each group. */
const groups = [
  ...read("README.md")
    .split(/^## Documentation$/m)[1]
    .split(/^## /m)[0]
    .matchAll(/^- ([^:]+):([^]*?)(?=^- |(?![^]))/gm),
].map(([, text, list]) => ({
  text,
  items: [...list.matchAll(LINK)].map(([, name, path]) => ({ text: name, link: `/${path}` })),
}));

// run.mjs makes it, for the site alone.
groups.at(-1)?.items.push({ text: "The core", link: "/docs/reference/core.md" });

const listed = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)));
const missing = readdirSync(`${ROOT}docs`, { recursive: true }).filter(
  (name) => /^(?!development).+\.md$/.test(name) && !listed.has(`/docs/${name}`),
);
if (missing.length > 0) throw new Error(`Not in README.md's list of documents: ${missing}`);

/** @param {string} path */
const byItsHeading = (path) => ({ text: /^# (.+)$/m.exec(read(path))[1], link: `/${path}` });

export const sidebar = [
  { text: "Start", link: "/" },
  ...groups,
  {
    text: "The project",
    items: [
      ...["CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"],
      ...readdirSync(`${ROOT}docs/development`).map((name) => `docs/development/${name}`),
    ].map(byItsHeading),
  },
];
