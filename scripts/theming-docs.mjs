// Writes the tables of docs/theming.md, from custom-elements.json.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import prettier from "prettier";

const PAGE = "docs/theming.md";
const MANIFEST = "custom-elements.json";

/** What is in a manifest of an element, and how a page names it. */
const TABLES = [
  ["cssProperties", "Custom property", ({ name }) => `\`${name}\``],
  ["cssParts", "Part", ({ name }) => `\`::part(${name})\``],
  ["cssStates", "State", ({ name }) => `\`:state(${name})\``],
  ["slots", "Slot", ({ name }) => (name ? `\`${name}\`` : "the default one")],
];

/** A bar would end a cell. */
const cell = (text) => (text ?? "").replace(/\s+/g, " ").replace(/\|/g, "\\|");

function table(title, nameOf, entries) {
  const hasDefaults = entries.some((entry) => entry.default !== undefined);
  const rows = entries.map((entry) => [
    nameOf(entry),
    ...(hasDefaults ? [entry.default === undefined ? "" : `\`${entry.default}\``] : []),
    cell(entry.description),
  ]);
  const head = [title, ...(hasDefaults ? ["Default"] : []), "What it is"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * @param {string} manifest custom-elements.json
 * @param {string} page docs/theming.md
 * @returns {Promise<string>} The page with the tables that the manifest gives, between their marks.
 */
export async function themingDocs(manifest, page) {
  const elements = JSON.parse(manifest)
    .modules.flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName);
  const sections = elements.map((element) =>
    [
      `### \`<${element.tagName}>\``,
      ...TABLES.filter(([key]) => element[key]?.length).map(([key, title, nameOf]) =>
        table(title, nameOf, element[key]),
      ),
    ].join("\n\n"),
  );
  const whole = page.replace(
    /(?<=<!-- begin tables -->)[^]*(?=<!-- end tables -->)/,
    () => `\n\n${sections.join("\n\n")}\n\n`,
  );
  return prettier.format(whole, { ...(await prettier.resolveConfig(PAGE)), parser: "markdown" });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [manifest, page] = await Promise.all(
    [MANIFEST, PAGE].map((file) => readFile(file, "utf8")),
  );
  await writeFile(PAGE, await themingDocs(manifest, page));
}
