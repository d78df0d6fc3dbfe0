// The choices as parameters: in the page's URL, and for the preview.

/**
 * The state of the tab, which the preview shares, and continues with after the return from the
 * provider.
 */
const KEY = "matrix-auth-elements:playground";

/** @param {URLSearchParams} params */
export const keep = (params) => sessionStorage.setItem(KEY, params.toString());

export const kept = () => new URLSearchParams(sessionStorage.getItem(KEY) ?? "");

/**
 * @typedef {object} State
 * @property {string} element its tag
 * @property {Readonly<Record<string, string>>} attributes
 * @property {Readonly<Record<string, string>>} slots texts, by the slots' names
 * @property {Readonly<Record<string, string>>} tokens
 * @property {Readonly<Record<string, string>>} parts declarations, by the parts' names
 * @property {readonly string[]} outlined parts
 * @property {readonly string[]} events that the code listens to
 * @property {string} login how the homeserver signs users in; empty: what suits the element
 * @property {string} stage
 * @property {string} error
 * @property {boolean} once whether the error happens only to the next request
 * @property {string} language
 * @property {string} direction empty: the language's
 * @property {string} theme empty: the system's
 * @property {string} width
 * @property {string} textName of a text of one's own
 * @property {string} text
 */

export const DEFAULT_ELEMENT = "matrix-login";

/**
 * @param {URLSearchParams} params
 * @returns {State}
 */
export function stateOf(params) {
  /** @param {string} kind @returns {Record<string, string>} The values of a kind, by name. */
  const group = (kind) =>
    Object.fromEntries(
      [...params]
        .filter(([name, value]) => name.startsWith(`${kind}:`) && value !== "")
        .map(([name, value]) => [name.slice(kind.length + 1), value]),
    );
  /** @param {string} name */
  const one = (name) => params.get(name) ?? "";
  const names = group("slot-name");
  return {
    element: one("element") || DEFAULT_ELEMENT,
    attributes: group("attribute"),
    slots: Object.fromEntries(
      Object.entries(group("slot")).map(([name, text]) => [slotName(name, names[name]), text]),
    ),
    tokens: group("token"),
    parts: group("part"),
    outlined: Object.keys(group("outline")),
    events: Object.keys(group("event")),
    ...{ login: one("login"), stage: one("stage"), error: one("error") },
    once: one("once") !== "",
    ...{ language: one("language") || "en", direction: one("direction"), theme: one("theme") },
    ...{ width: one("width"), textName: one("text-name"), text: one("text") },
  };
}

/**
 * `error-(code)` is a slot for each code.
 *
 * @param {string} name
 * @param {string} [chosen]
 */
const slotName = (name, chosen = "") => name.replace(/\(.*\)/, () => chosen.trim());

/** Whether a slot's name has a part that one chooses. @param {string} name */
export const isPattern = (name) => name.includes("(");

const RIGHT_TO_LEFT = ["ar", "fa", "he"];

/** @param {Pick<State, "language" | "direction">} state */
export const directionOf = ({ language, direction }) =>
  direction || (RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr");
