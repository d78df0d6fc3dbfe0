// Reads custom-elements.json for tests and for the scripts that write their pages.
import { readFileSync } from "node:fs";

/** @typedef {{ readonly name: string, readonly description?: string }} Named */
/** @typedef {{ readonly type: { readonly text: string } }} Typed */
/**
 * @typedef {Named & Partial<Typed> & {
 *   readonly kind: "field" | "method",
 *   readonly static?: boolean,
 *   readonly readonly?: boolean,
 *   readonly return?: Typed,
 * }} Member
 */
/**
 * @typedef {object} ElementDeclaration
 * @property {string} name The class name.
 * @property {string} tagName
 * @property {string} description
 * @property {string} summary
 * @property {readonly (Named & Typed & { readonly fieldName: string })[]} attributes
 * @property {readonly Member[]} members
 * @property {readonly (Named & Typed)[]} events
 * @property {readonly Named[]} slots
 * @property {readonly Named[]} cssParts
 * @property {readonly Named[]} cssProperties
 * @property {readonly Named[]} cssStates
 */
/**
 * @typedef {object} Module
 * @property {string} path
 * @property {readonly ElementDeclaration[]} [declarations]
 * @property {readonly {
 *   readonly kind: string,
 *   readonly name: string,
 *   readonly declaration: { readonly name: string, readonly module: string },
 * }[]} exports
 */

/** @type {{ readonly modules: readonly Module[] }} */
export const { modules } = JSON.parse(readFileSync("custom-elements.json", "utf8"));

export const elements = modules
  .flatMap(({ declarations = [] }) => declarations)
  .filter(({ tagName }) => tagName);

/** @param {readonly Named[]} list @returns {string[]} */
export const names = (list) => list.map(({ name }) => name).sort();

/** Whether a page can set the member as a property. @param {Member} member */
export const isSettable = (member) => member.kind === "field" && !member.static && !member.readonly;
