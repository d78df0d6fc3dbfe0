// llms.txt: an index of the documentation for language models. Format: https://llmstxt.org
import { readFile } from "node:fs/promises";
import { elementsOf } from "./elements.mjs";
import { navigation, pagesOf } from "./nav.mjs";

/** @param {import("./elements.mjs").Entry[] | undefined} entries */
const names = (entries = []) => entries.map(({ name }) => `\`${name}\``).join(", ");

/** @param {import("./elements.mjs").Manifest} manifest */
export async function llms(manifest) {
  const { name, description } = JSON.parse(await readFile("package.json", "utf8"));
  const elements = elementsOf(manifest).map((element) =>
    [
      `- \`<${element.tagName}>\`: ${element.summary}`,
      `attributes ${names(element.attributes)};`,
      `events ${names(element.events)};`,
      `slots ${names(element.slots?.filter(({ name }) => name)) || "the default one"}.`,
    ].join(" "),
  );
  const groups = navigation.map(({ title, items }) => {
    const pages = pagesOf(items)
      .filter(({ onlyOnSite }) => !onlyOnSite)
      .map((page) => `- [${page.title}](${page.path}): ${page.description}`);
    return `## ${title}\n\n${pages.join("\n")}`;
  });
  return (
    [
      `# ${name}`,
      `> ${description}`,
      `## Elements\n\n${elements.join("\n")}\n- [custom-elements.json](custom-elements.json): the custom elements manifest.`,
      ...groups,
    ].join("\n\n") + "\n"
  );
}
