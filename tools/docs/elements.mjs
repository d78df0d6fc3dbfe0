// The reference of the elements, from the custom elements manifest. The examples, the accessibility
// and the links of each page are written by hand. The manifest's tables are written between marks.
import { cell, table } from "./markdown.mjs";

/**
 * The manifest's entry for one attribute, member, event, slot, part, property or state.
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} [kind]
 * @property {string} [privacy]
 * @property {{ text: string }} [type]
 * @property {string} [description]
 * @property {string} [default]
 * @property {boolean} [readonly]
 * @property {boolean} [static]
 * @property {boolean} [optional]
 * @property {string} [fieldName]
 * @property {object} [inheritedFrom]
 * @property {Entry[]} [parameters]
 */

/**
 * @typedef {{ name: string, tagName?: string, summary?: string, description?: string, members?: Entry[] } & Partial<
 *   Record<"attributes" | "events" | "slots" | "cssParts" | "cssProperties" | "cssStates", Entry[]>
 * >} Declaration
 *
 * @typedef {{ modules: { declarations?: Declaration[] }[] }} Manifest
 */

/** @param {string} text */
const code = (text) => `\`${cell(text)}\``;

/** A default in a description, such as "Default: this origin." */
const DEFAULT = /\s*Default: ([^]+?)\.(?=\s|$)/;

/**
 * @param {Entry} member
 * @returns {{ meaning: string, preset: string }} Its description without the default, and the default.
 */
function withoutDefault({ description = "", default: given, type }) {
  const [, written] = DEFAULT.exec(description) ?? [];
  const meaning = cell(description.replace(DEFAULT, "").trim());
  const ofValues = /(`[^`]+`) \(default\)/.exec(description)?.[1];
  const initial = given ?? (type?.text === "boolean" ? "false" : "");
  return {
    meaning,
    preset: written ? cell(written) : (ofValues ?? (initial ? code(initial) : "")),
  };
}

/** @param {Entry} member */
const typeOf = ({ type }) => code(type?.text.replace(" | undefined", "") ?? "unknown");

/** @param {Declaration} element */
function settings(element) {
  const byField = new Map((element.attributes ?? []).map((each) => [each.fieldName, each]));
  const rows = (element.members ?? [])
    .filter(({ kind, privacy }) => kind === "field" && privacy === "public")
    .map((member) => {
      const { meaning, preset } = withoutDefault(member);
      const attribute = byField.get(member.name)?.name;
      return [attribute ? code(attribute) : "", code(member.name), typeOf(member), preset, meaning];
    });
  return table(["attribute", "property", "type", "default", "description"], rows);
}

/** @param {Declaration} element */
function readable(element) {
  const rows = (element.members ?? [])
    .filter(({ kind, readonly, static: own }) => kind === "field" && readonly && !own)
    .map((member) => [code(member.name), typeOf(member), cell(member.description)]);
  return table(["property", "type", "description"], rows);
}

/** @param {Declaration} element */
function methods(element) {
  const rows = (element.members ?? [])
    .filter(({ kind, inheritedFrom, static: own }) => kind === "method" && !inheritedFrom && !own)
    .map(({ name, parameters = [], description }) => {
      const list = parameters.map(({ name: each, optional, default: preset }) =>
        optional || preset ? `${each}?` : each,
      );
      return [code(`${name}(${list.join(", ")})`), cell(description)];
    });
  return table(["method", "description"], rows);
}

/**
 * @param {string} title
 * @param {string} first The title of the first column.
 * @param {Entry[] | undefined} entries
 * @param {(entry: Entry) => string} name
 */
function listed(title, first, entries, name) {
  if (!entries?.length) return "";
  const rows = entries.map((entry) => [name(entry), cell(entry.description)]);
  return `## ${title}\n\n${table([first, "description"], rows)}`;
}

/** @param {Entry[]} entries */
function properties(entries) {
  const rows = entries.map(({ name, default: preset, description }) => [
    code(name),
    preset ? code(preset) : "",
    cell(description),
  ]);
  return `## CSS custom properties\n\n${table(["property", "default", "description"], rows)}`;
}

/** An event without its own class. */
const PLAIN = { bubbles: false, cancelable: false, answered: false, detail: "none" };

/**
 * @param {Entry[]} entries
 * @param {Map<string, import("./events.mjs").EventFacts>} facts
 */
function events(entries, facts) {
  const known = entries.map(({ name, type, description }) => {
    const of = type?.text === "Event" ? { ...PLAIN, name } : facts.get(type?.text ?? "");
    if (of?.name !== name) throw new Error(`src/events/ has no ${type?.text} for ${name}`);
    return { of, name, type: type?.text ?? "", description };
  });
  const rows = known.map(({ of, name, description }) => [
    code(name),
    of.bubbles ? "yes" : "no",
    of.answered ? "`respondWith()`" : of.cancelable ? "yes" : "no",
    cell(description),
  ]);
  const details = known
    .filter(({ of }) => of.detail !== "none")
    .map(({ of, type }) => `- ${code(type)}: \`detail\` is \`${of.detail}\`.`);
  const head = ["event", "bubbles", "cancelable", "description"];
  return `## Events\n\n${table(head, rows)}\n\n${details.join("\n")}`;
}

/** @param {Declaration} element */
const imports = ({ tagName, name }) =>
  `## Import

- npm: \`import "matrix-auth-elements/${tagName}";\`, or all elements with \`import "matrix-auth-elements/define";\`.
- Script tag: \`elements/${tagName}.js\`, or all elements with \`matrix-auth-elements.js\`. See
  [Add Matrix sign-in to an HTML page](../../get-started/html.md).

The class is ${code(name)}, from \`matrix-auth-elements\`. Its static method \`define(tag?, registry?)\` registers the element
under another name or in another registry.`;

/**
 * @param {Declaration} element
 * @param {Map<string, import("./events.mjs").EventFacts>} facts
 */
const reference = (element, facts) =>
  [
    imports(element),
    `## Attributes and properties\n\n${settings(element)}`,
    `## Read-only properties\n\n${readable(element)}`,
    element.events?.length ? events(element.events, facts) : "",
    `## Methods\n\n${methods(element)}`,
    listed("Slots", "slot", element.slots, ({ name }) => (name ? code(name) : "the default one")),
    listed("CSS parts", "`::part()`", element.cssParts, ({ name }) => code(name)),
    element.cssProperties?.length ? properties(element.cssProperties) : "",
    listed("States", "`:state()`", element.cssStates, ({ name }) => code(name)),
  ]
    .filter(Boolean)
    .join("\n\n");

/**
 * @param {Manifest} manifest
 * @returns {Declaration[]} The elements, in the order in which a person meets them.
 */
export function elementsOf(manifest) {
  const ORDER = [
    "matrix-login",
    "matrix-account",
    "oidc-login",
    "oidc-callback",
    "uia-dialog",
    "uia-fallback-frame",
  ];
  return manifest.modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName)
    .sort((a, b) => ORDER.indexOf(a.tagName ?? "") - ORDER.indexOf(b.tagName ?? ""));
}

/**
 * @param {string} page The present page of the element; empty for a new page.
 * @param {Declaration} element
 * @param {Map<string, import("./events.mjs").EventFacts>} facts of the events, by the name of their class
 * @returns {string} The page with what the manifest says.
 */
export function elementPage(page, element, facts) {
  const parts = {
    description: element.description?.trim() ?? "",
    reference: reference(element, facts),
  };
  const empty = Object.keys(parts).map((name) => `<!-- ${name} -->\n<!-- end -->`);
  let whole = page || `# ${element.tagName}\n\n${empty.join("\n\n")}\n`;
  for (const [name, text] of Object.entries(parts)) {
    const place = new RegExp(`(?<=<!-- ${name} -->)[^]*?(?=<!-- end -->)`);
    if (!place.test(whole))
      throw new Error(`The page of ${element.tagName} has no place for its ${name}`);
    whole = whole.replace(place, () => `\n\n${text}\n\n`);
  }
  return whole;
}
