// Writes the generated parts of the documentation: the elements' reference, tables in guides, and llms.txt.
// With `--check` it writes nothing, and fails if a part is out of date. Other generators for manifests
// support neither custom states, nor details of events, nor tables in guides.
import { readFile, writeFile } from "node:fs/promises";
import { format } from "prettier";
import { contextDocs } from "./context.mjs";
import { elementPage, elementsOf } from "./elements.mjs";
import { eventFacts } from "./events.mjs";
import { llms } from "./llms.mjs";
import { filled } from "./markdown.mjs";
import { exportedNames } from "./names.mjs";

const check = process.argv.includes("--check");
/** @type {string[]} */
const outdated = [];

/**
 * @param {string} path
 * @param {(present: string) => string | Promise<string>} change
 */
async function write(path, change) {
  const present = await readFile(path, "utf8");
  const text = await change(present);
  const formatted = path.endsWith(".md")
    ? await format(text, { parser: "markdown", printWidth: 100 })
    : text;
  if (formatted === present) return;
  outdated.push(path);
  if (!check) await writeFile(path, formatted);
}

const manifest = JSON.parse(await readFile("custom-elements.json", "utf8"));
const facts = await eventFacts();
for (const element of elementsOf(manifest)) {
  const path = `docs/reference/elements/${element.tagName}.md`;
  await write(path, (page) => elementPage(page, element, facts));
}
await write("docs/reference/contexts.md", contextDocs);
await write("docs/reference/entry-points.md", (page) => filled(page, "names", exportedNames()));
await write("llms.txt", () => llms(manifest));

for (const path of outdated) {
  console.log(`${check ? "✖ out of date: run `npm run docs`:" : "wrote"} ${path}`);
}
if (check && outdated.length > 0) process.exitCode = 1;
else console.log("✔ The references");
