// llms.txt: tells language models where to find what about the library. Format: https://llmstxt.org
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { elementsOf } from "./elements.mjs";

const plain = (text = "") => text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
/** @param {import("./elements.mjs").Entry[] | undefined} entries */
const names = (entries = []) => entries.map(({ name }) => `\`${name}\``).join(", ");

/** @param {import("./elements.mjs").Manifest} manifest */
export async function llms(manifest) {
  const readme = await readFile("README.md", "utf8");
  const [, title, summary] = /^# (.+)\n+([^]+?)\n\n/.exec(readme) ?? [];
  const pages = await Promise.all(
    (await readdir("docs", { recursive: true }))
      // `npm run site` makes the one of the core.
      .filter((name) => /^(?!development|reference\/core).+\.md$/.test(name))
      .sort()
      .map(async (name) => {
        const text = await readFile(join("docs", name), "utf8");
        const [, heading, first] = /^# (.+)\n+([^]+?)\n\n/.exec(text) ?? [];
        return `- [${heading}](docs/${name}): ${plain(first)}`;
      }),
  );
  const elements = elementsOf(manifest).map((element) =>
    [
      `- \`<${element.tagName}>\`: ${element.summary}`,
      `attributes ${names(element.attributes)};`,
      `events ${names(element.events)};`,
      `slots ${names(element.slots?.filter(({ name }) => name)) || "the default one"}.`,
    ].join(" "),
  );
  return (
    [
      `# ${title}`,
      `> ${plain(summary)}`,
      `## Elements\n\n${elements.join("\n")}`,
      `## Documentation\n\n- [README](README.md): what it is, and how to begin.\n${pages.join("\n")}`,
      "## Code\n\n- [CONTRIBUTING](CONTRIBUTING.md): the map of the source, its rules, the commands.\n- [custom-elements.json](custom-elements.json): the custom-elements manifest.\n- [CHANGELOG](CHANGELOG.md): what changed.",
    ].join("\n\n") + "\n"
  );
}
