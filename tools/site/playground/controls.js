// A control for each member of an element that custom-elements.json lists.
import { h } from "./dom.js";
import { initialAttribute } from "./setups.js";
import { isPattern } from "./state.js";

let count = 0;

/**
 * @param {string} text
 * @param {HTMLElement} control
 * @param {{ description?: string, beside?: readonly HTMLElement[], plain?: boolean }} [options]
 * `plain`: the text is not code.
 */
export function row(text, control, { description = "", beside = [], plain = false } = {}) {
  const id = `control-${++count}`;
  control.id = id;
  const isCheckbox = control instanceof HTMLInputElement && control.type === "checkbox";
  const label = h("label", { for: id }, plain ? text : h("code", {}, text));
  if (description) control.setAttribute("aria-describedby", `${id}-description`);
  return h(
    "div",
    { class: isCheckbox ? "row choice" : "row" },
    ...(isCheckbox
      ? [control, label]
      : [label, h("span", { class: "fields" }, control, ...beside)]),
    ...(description
      ? [h("small", { id: `${id}-description` }, description.replace(/\s+/g, " "))]
      : []),
  );
}

/**
 * @param {string} name
 * @param {readonly (readonly [value: string, label: string])[]} options
 * @param {string} [initial]
 */
export function select(name, options, initial = "") {
  return h(
    "select",
    { name },
    ...options.map(([value, label]) => h("option", { value, selected: value === initial }, label)),
  );
}

/** @param {string} name @param {Readonly<Record<string, string | boolean>>} [more] */
export const field = (name, more = {}) =>
  h("input", { name, type: "text", autocomplete: "off", spellcheck: "false", ...more });

/** @param {string} name @param {Readonly<Record<string, string | boolean>>} [more] */
export const checkbox = (name, more = {}) => h("input", { name, type: "checkbox", ...more });

/** @param {string} element @param {PlaygroundMember} attribute */
function attributeRow(element, { name, type, default: initial, description }) {
  const key = `attribute:${name}`;
  const choices = [...(type?.text ?? "").matchAll(/"([^"]+)"/g)].map(([, value = ""]) => value);
  if (type?.text === "boolean") return row(name, checkbox(key), { description });
  if (choices.length > 0) {
    const options = choices.map((value) => /** @type {const} */ ([value, value]));
    return row(name, select(key, [["", "not set"], ...options]), { description });
  }
  const value = initialAttribute(element, name);
  return row(
    name,
    field(key, {
      value,
      ...(type?.text === "number" && { type: "number", min: "0", step: "500" }),
      ...(initial !== undefined && { placeholder: initial }),
    }),
    { description },
  );
}

/** @param {PlaygroundMember} token */
function tokenRow({ name, default: initial = "", description }) {
  const text = field(`token:${name}`, { placeholder: initial });
  if (!/color$|background$/.test(name)) return row(name, text, { description });
  const picker = h("input", { type: "color", "aria-label": `Pick ${name}`, value: "#1d4fb8" });
  picker.addEventListener("input", () => {
    text.value = picker.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return row(name, text, { description, beside: [picker] });
}

/** @param {PlaygroundMember} part */
function partRow({ name, description }) {
  const outline = checkbox(`outline:${name}`, { "aria-label": `Outline ${name}` });
  return row(name, field(`part:${name}`, { placeholder: "font-style: italic" }), {
    description,
    beside: [h("label", { class: "outline" }, outline, "Outline")],
  });
}

/** @param {PlaygroundMember} slot */
function slotRow({ name, description }) {
  const label = name === "" ? "(default)" : name;
  const which = field(`slot-name:${name}`, {
    "aria-label": `Which ${label}`,
    placeholder: /\((.*)\)/.exec(name)?.[1] ?? "",
    class: "short",
  });
  return row(label, field(`slot:${name}`, { placeholder: "Text" }), {
    description,
    beside: isPattern(name) ? [which] : [],
  });
}

/**
 * The events that the code listens to by default: the success. @param {string} element @param
 * {string} name
 */
const isHeard = (element, name) =>
  name === (element === "matrix-login" ? "matrix-login-success" : "oidc-success");

/**
 * @param {string} element
 * @returns {Readonly<Record<"attributes" | "events" | "slots" | "parts" | "tokens", readonly HTMLElement[]>>}
 */
export function controlsOf(element) {
  const {
    attributes = [],
    events = [],
    slots = [],
    cssParts = [],
    cssProperties = [],
  } = ELEMENTS[element] ?? {};
  return {
    attributes: attributes.map((attribute) => attributeRow(element, attribute)),
    slots: slots.map(slotRow),
    tokens: cssProperties.map(tokenRow),
    parts: cssParts.map(partRow),
    events: events.map(({ name, description }) =>
      row(name, checkbox(`event:${name}`, { checked: isHeard(element, name) }), { description }),
    ),
  };
}
