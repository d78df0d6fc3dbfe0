// The tables of docs/theming.md, from custom-elements.json.
import prettier from "prettier";
import { cell, table } from "./markdown.mjs";

const PAGE = "docs/theming.md";

/**
 * What is in a manifest of an element, and how a page names it.
 *
 * @type {[
 *   key: "cssProperties" | "cssParts" | "cssStates" | "slots",
 *   title: string,
 *   nameOf: (entry: import("./elements.mjs").Entry) => string,
 * ][]}
 */
const TABLES = [
  ["cssProperties", "Custom property", ({ name }) => `\`${name}\``],
  ["cssParts", "Part", ({ name }) => `\`::part(${name})\``],
  ["cssStates", "State", ({ name }) => `\`:state(${name})\``],
  ["slots", "Slot", ({ name }) => (name ? `\`${name}\`` : "the default one")],
];

/**
 * @param {string} title
 * @param {(entry: import("./elements.mjs").Entry) => string} nameOf
 * @param {import("./elements.mjs").Entry[]} entries
 */
function tableOf(title, nameOf, entries) {
  const hasDefaults = entries.some((entry) => entry.default !== undefined);
  const rows = entries.map((entry) => [
    nameOf(entry),
    ...(hasDefaults ? [entry.default === undefined ? "" : `\`${entry.default}\``] : []),
    cell(entry.description),
  ]);
  const head = [title, ...(hasDefaults ? ["Default"] : []), "What it is"];
  return table(head, rows);
}

/**
 * @param {string} manifest custom-elements.json
 * @param {string} page docs/theming.md
 * @returns {Promise<string>} The page with the tables that the manifest gives, between their marks.
 */
export async function themingDocs(manifest, page) {
  /** @type {import("./elements.mjs").Manifest} */
  const { modules } = JSON.parse(manifest);
  const elements = modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName);
  const sections = elements.map((element) =>
    [
      `### \`<${element.tagName}>\``,
      ...TABLES.filter(([key]) => element[key]?.length).map(([key, title, nameOf]) =>
        tableOf(title, nameOf, element[key] ?? []),
      ),
    ].join("\n\n"),
  );
  const whole = page.replace(
    /(?<=<!-- begin tables -->)[^]*(?=<!-- end tables -->)/,
    () => `\n\n${sections.join("\n\n")}\n\n`,
  );
  return prettier.format(whole, { ...(await prettier.resolveConfig(PAGE)), parser: "markdown" });
}
