// Writes the generated parts of the documentation: the elements' reference, tables in guides,
// llms.txt. With `--check` it writes nothing, and fails if something is out of date. Generators
// from the manifest know no custom states, no events' details and no tables within a guide.
import { readFile, writeFile } from "node:fs/promises";
import { format } from "prettier";
import { contextDocs } from "./context.mjs";
import { elementPage, elementsOf } from "./elements.mjs";
import { eventFacts } from "./events.mjs";
import { llms } from "./llms.mjs";
import { exportedNames } from "./names.mjs";

const check = process.argv.includes("--check");
/** @param {string} path */
const read = (path) => readFile(path, "utf8");
/** @type {string[]} */
const outdated = [];

/**
 * @param {string} path
 * @param {string} text
 */
async function put(path, text) {
  const present = await read(path).catch(() => "");
  if (present === text) return;
  outdated.push(path);
  if (!check) await writeFile(path, text);
}

/** @param {string} text */
const markdown = (text) => format(text, { parser: "markdown", printWidth: 100 });

const manifest = JSON.parse(await read("custom-elements.json"));
const facts = await eventFacts();
for (const element of elementsOf(manifest)) {
  const path = `docs/reference/elements/${element.tagName}.md`;
  const page = await read(path).catch(() => "");
  await put(path, await markdown(elementPage(page, element, facts)));
}
await put(
  "docs/reference/contexts.md",
  await markdown(await contextDocs(await read("docs/reference/contexts.md"))),
);
const NAMES = /(?<=<!-- names -->)[^]*?(?=<!-- end -->)/;
const entries = await read("docs/reference/entry-points.md");
await put(
  "docs/reference/entry-points.md",
  await markdown(entries.replace(NAMES, () => `\n\n${exportedNames()}\n\n`)),
);
await put("llms.txt", await llms(manifest));

for (const path of outdated)
  console.log(`${check ? "✖ out of date: run `npm run docs`:" : "wrote"} ${path}`);
if (check && outdated.length > 0) process.exitCode = 1;
else console.log("✔ The references");
