// The reference of the elements, from the custom-elements manifest.
import { cell, table } from "./markdown.mjs";

/**
 * What the manifest says of one attribute, member, event, slot, part, property or state.
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
// A blank line within a description separates its paragraphs.
const prose = (text = "") => text.trim();

/**
 * @param {string | undefined} preset
 * @param {string | undefined} description which may say it already
 */
const defaultOf = (preset, description) =>
  preset && preset !== "false" && !description?.includes("Default:")
    ? ` Default: ${code(preset)}.`
    : "";

/** @param {Declaration} element */
function settings(element) {
  const byField = new Map((element.attributes ?? []).map((each) => [each.fieldName, each]));
  const rows = (element.members ?? [])
    .filter(({ kind, privacy }) => kind === "field" && privacy === "public")
    .map(({ name, type, description, default: preset }) => [
      byField.has(name) ? code(byField.get(name)?.name ?? "") : "–",
      code(name),
      code(type?.text.replace(" | undefined", "") ?? "unknown"),
      cell(description) + defaultOf(preset, description),
    ]);
  return table(["attribute", "property", "type", "meaning"], rows);
}

/** @param {Declaration} element */
function readable(element) {
  return (element.members ?? [])
    .filter(({ kind, readonly, static: own }) => kind === "field" && readonly && !own)
    .map(({ name, description }) => `- ${code(name)}: ${cell(description)}`)
    .join("\n");
}

/** @param {Declaration} element */
function methods(element) {
  return (element.members ?? [])
    .filter(({ kind, inheritedFrom, static: own }) => kind === "method" && !inheritedFrom && !own)
    .map(({ name, parameters = [], description }) => {
      const list = parameters.map(({ name: each, optional, default: preset }) =>
        optional || preset ? `${each}?` : each,
      );
      return `- ${code(`${name}(${list.join(", ")})`)}: ${cell(description)}`;
    })
    .join("\n");
}

/**
 * @param {string} title
 * @param {string} first What the first column holds.
 * @param {Entry[] | undefined} entries
 * @param {(entry: Entry) => string} name
 */
function listed(title, first, entries, name) {
  if (!entries?.length) return "";
  const rows = entries.map((entry) => [name(entry), cell(entry.description)]);
  return `### ${title}\n\n${table([first, "meaning"], rows)}`;
}

/** An event without a class of its own. */
const PLAIN = { bubbles: false, cancelable: false, answered: false, detail: "none" };

/**
 * @param {Entry[] | undefined} entries
 * @param {Map<string, import("./events.mjs").EventFacts>} facts
 */
function events(entries, facts) {
  if (!entries?.length) return "";
  const rows = entries.map(({ name, type, description }) => {
    const of = type?.text === "Event" ? { ...PLAIN, name } : facts.get(type?.text ?? "");
    if (of?.name !== name) throw new Error(`src/events/ has no ${type?.text} for ${name}`);
    return [
      `${code(name)}, ${code(type?.text ?? "")}`,
      of.bubbles ? "yes" : "no",
      of.answered ? "`respondWith()`" : of.cancelable ? "yes" : "no",
      code(of.detail),
      cell(description),
    ];
  });
  const head = ["event", "bubbles", "cancelable", "`detail`", "meaning"];
  return `### Events\n\n${table(head, rows)}`;
}

/**
 * @param {Declaration} element
 * @param {Map<string, import("./events.mjs").EventFacts>} facts
 */
function page(element, facts) {
  return [
    `## \`<${element.tagName}>\``,
    `Its class is ${code(element.name)}, from \`matrix-auth-elements\` and \`matrix-auth-elements/${element.tagName}\`.`,
    prose(element.description),
    `### Attributes and properties\n\n${settings(element)}`,
    `### Read-only properties\n\n${readable(element)}`,
    `### Methods\n\n${methods(element)}`,
    events(element.events, facts),
    listed("Slots", "slot", element.slots, ({ name }) => (name ? code(name) : "the default one")),
    listed("Parts", "`::part()`", element.cssParts, ({ name }) => code(name)),
    listed("Custom properties", "property", element.cssProperties, ({ name, default: preset }) =>
      code(preset ? `${name}: ${preset}` : name),
    ),
    listed("States", "`:state()`", element.cssStates, ({ name }) => code(name)),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/**
 * @param {Manifest} manifest
 * @returns {Declaration[]} The elements, in the order in which a person meets them.
 */
export function elementsOf(manifest) {
  const ORDER = ["matrix-login", "oidc-login", "oidc-callback", "uia-dialog", "uia-fallback-frame"];
  return manifest.modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName)
    .sort((a, b) => ORDER.indexOf(a.tagName ?? "") - ORDER.indexOf(b.tagName ?? ""));
}

/**
 * @param {Manifest} manifest
 * @param {Map<string, import("./events.mjs").EventFacts>} facts of the events, by the name of their class
 */
export function elementReference(manifest, facts) {
  return [
    "# The elements",
    "Generated from `custom-elements.json` by `npm run docs`. Every element has the static method\n" +
      "`define(tag?, registry?)`, which registers it under another name or in another registry, and\n" +
      "the static property `version`. An event that bubbles is also `composed`: it leaves shadow trees.",
    ...elementsOf(manifest).map((element) => page(element, facts)),
  ].join("\n\n");
}
