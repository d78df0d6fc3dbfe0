// The elements' reference. Each page has handwritten examples, accessibility, and links, and tables from the
// custom elements manifest between marks.
import { cell, filled, table } from "./markdown.mjs";

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

/** @param {Entry} entry */
const nameOf = ({ name }) => code(name);

/** @param {Entry} entry */
const typeOf = ({ type }) => code(type?.text.replace(" | undefined", "") ?? "unknown");

/** @param {Entry} entry */
const meaningOf = ({ description }) => cell(description);

/** A default in a description, such as "Default: this origin." */
const DEFAULT = /\s*Default: ([^]+?)\.(?=\s|$)/;

/** @param {Entry} entry */
const withoutDefault = ({ description = "" }) => cell(description.replace(DEFAULT, "").trim());

/** @param {Entry} entry */
function defaultOf({ description = "", default: given, type }) {
  const [, written] = DEFAULT.exec(description) ?? [];
  if (written) return cell(written);
  const [, ofValues] = /(`[^`]+`) \(default\)/.exec(description) ?? [];
  const initial = given ?? (type?.text === "boolean" ? "false" : "");
  return ofValues ?? (initial && code(initial));
}

/** @param {Entry} entry */
function callOf({ name, parameters = [] }) {
  const list = parameters.map(({ name: each, optional, default: preset }) =>
    optional || preset ? `${each}?` : each,
  );
  return code(`${name}(${list.join(", ")})`);
}

/**
 * A section with a table, or nothing without entries.
 *
 * @param {string} title
 * @param {Entry[]} entries
 * @param {Record<string, (entry: Entry) => string>} columns The cells by the column's title.
 */
function section(title, entries, columns) {
  if (entries.length === 0) return "";
  const rows = entries.map((entry) => Object.values(columns).map((column) => column(entry)));
  return `## ${title}\n\n${table(Object.keys(columns), rows)}`;
}

/** An event without a separate class. */
const PLAIN = { bubbles: false, cancelable: false, answered: false, detail: "none" };

/**
 * @param {Entry[]} entries
 * @param {Map<string, import("./events.mjs").EventFacts>} facts
 */
function events(entries, facts) {
  /** @param {Entry} entry */
  const factsOf = ({ name, type: { text } = { text: "" } }) => {
    const found = text === "Event" ? { ...PLAIN, name } : facts.get(text);
    if (found?.name !== name) throw new Error(`src/events/ has no ${text} for ${name}`);
    return found;
  };
  const shown = section("Events", entries, {
    event: nameOf,
    bubbles: (entry) => (factsOf(entry).bubbles ? "yes" : "no"),
    cancelable(entry) {
      const { answered, cancelable } = factsOf(entry);
      return answered ? "`respondWith()`" : cancelable ? "yes" : "no";
    },
    description: meaningOf,
  });
  const details = entries
    .map((entry) => ({ type: typeOf(entry), ...factsOf(entry) }))
    .filter(({ detail }) => detail !== "none")
    .map(({ type, detail }) => `- ${type}: \`detail\` is \`${detail}\`.`);
  return `${shown}\n\n${details.join("\n")}`;
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
function reference(element, facts) {
  const { members = [], attributes = [], slots = [], cssParts = [], cssProperties = [] } = element;
  const own = members.filter((member) => !member.static);
  const attributeOf = new Map(attributes.map(({ fieldName, name }) => [fieldName, code(name)]));
  return [
    imports(element),
    section(
      "Attributes and properties",
      members.filter(({ kind, privacy }) => kind === "field" && privacy === "public"),
      {
        attribute: ({ name }) => attributeOf.get(name) ?? "",
        property: nameOf,
        type: typeOf,
        default: defaultOf,
        description: withoutDefault,
      },
    ),
    section(
      "Read-only properties",
      own.filter(({ kind, readonly }) => kind === "field" && readonly),
      { property: nameOf, type: typeOf, description: meaningOf },
    ),
    events(element.events ?? [], facts),
    section(
      "Methods",
      own.filter(({ kind }) => kind === "method"),
      { method: callOf, description: meaningOf },
    ),
    section("Slots", slots, {
      slot: ({ name }) => (name ? code(name) : "the default one"),
      description: meaningOf,
    }),
    section("CSS parts", cssParts, { "`::part()`": nameOf, description: meaningOf }),
    section("CSS custom properties", cssProperties, {
      property: nameOf,
      default: defaultOf,
      description: meaningOf,
    }),
    section("States", element.cssStates ?? [], { "`:state()`": nameOf, description: meaningOf }),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/**
 * @param {Manifest} manifest
 * @returns {Declaration[]} The elements, in the order of the reference.
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
 * @param {string} page The current page of the element.
 * @param {Declaration} element
 * @param {Map<string, import("./events.mjs").EventFacts>} facts The events' facts, by class name.
 * @returns {string} The page with the manifest's tables.
 */
export function elementPage(page, element, facts) {
  const described = filled(page, "description", element.description?.trim() ?? "");
  return filled(described, "reference", reference(element, facts));
}
