// Writes the tables of docs/theming.md, from custom-elements.json.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import prettier from "prettier";

const PAGE = "docs/theming.md";
const MANIFEST = "custom-elements.json";

/**
 * What is in a manifest of an element, and how a page names it.
 *
 * @type {[
 *   key: "cssProperties" | "cssParts" | "cssStates" | "slots",
 *   title: string,
 *   nameOf: (entry: import("./docs/elements.mjs").Entry) => string,
 * ][]}
 */
const TABLES = [
  ["cssProperties", "Custom property", ({ name }) => `\`${name}\``],
  ["cssParts", "Part", ({ name }) => `\`::part(${name})\``],
  ["cssStates", "State", ({ name }) => `\`:state(${name})\``],
  ["slots", "Slot", ({ name }) => (name ? `\`${name}\`` : "the default one")],
];

/**
 * A bar would end a cell.
 *
 * @param {string | undefined} text
 */
const cell = (text) => (text ?? "").replace(/\s+/g, " ").replace(/\|/g, "\\|");

/**
 * @param {string} title
 * @param {(entry: import("./docs/elements.mjs").Entry) => string} nameOf
 * @param {import("./docs/elements.mjs").Entry[]} entries
 */
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
  /** @type {import("./docs/elements.mjs").Manifest} */
  const { modules } = JSON.parse(manifest);
  const elements = modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName);
  const sections = elements.map((element) =>
    [
      `### \`<${element.tagName}>\``,
      ...TABLES.filter(([key]) => element[key]?.length).map(([key, title, nameOf]) =>
        table(title, nameOf, element[key] ?? []),
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
  const manifest = await readFile(MANIFEST, "utf8");
  const page = await readFile(PAGE, "utf8");
  await writeFile(PAGE, await themingDocs(manifest, page));
}
