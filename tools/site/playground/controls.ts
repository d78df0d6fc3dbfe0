// The groups of controls: for all elements, and for each member in custom-elements.json.
import { h } from "./dom.js";
import { FAULTS } from "./faults.js";
import { LOGINS, STAGES } from "./scenarios.js";
import { defaultLogin, initialAttribute, initialStage, isOffered } from "./setups.js";

type Attributes = Readonly<Record<string, string | boolean>>;
type Options = readonly (readonly [value: string, label: string])[];

let count = 0;

/** A control with its label and description, and the elements next to it. */
function row(
  label: Node | string,
  control: HTMLElement,
  description = "",
  ...beside: readonly HTMLElement[]
): HTMLElement {
  const id = `control-${++count}`;
  control.id = id;
  const name = h("label", { for: id }, label);
  const made = h("div", { class: "row" });
  if (control.matches("[type=checkbox]")) made.append(control, name);
  else made.append(name, h("span", { class: "fields" }, control, ...beside));
  if (description) {
    control.setAttribute("aria-describedby", `${id}-description`);
    made.append(h("small", { id: `${id}-description` }, description));
  }
  return made;
}

/** A member's row, whose name is shown as code. */
const memberRow = (name: string, ...more: [HTMLElement, string?, ...HTMLElement[]]) =>
  row(h("code", {}, name), ...more);

const select = (name: string, options: Options, initial = "") =>
  h(
    "select",
    { name },
    ...options.map(([value, label]) => h("option", { value, selected: value === initial }, label)),
  );

const field = (name: string, more: Attributes = {}) =>
  h("input", { name, type: "text", autocomplete: "off", spellcheck: "false", ...more });

const checkbox = (name: string, more: Attributes = {}) =>
  h("input", { name, type: "checkbox", ...more });

/** The options with these labels, by ID, for `select()`. */
function optionsOf<T extends { readonly label: string }>(
  choices: Readonly<Record<string, T>>,
  isOffered: (choice: T) => boolean = () => true,
): Options {
  const offered = Object.entries(choices).filter(([, choice]) => isOffered(choice));
  return offered.map(([id, { label }]) => [id, label]);
}

function serverRows(element: string): readonly HTMLElement[] {
  const isSignUp = element === "matrix-login";
  const stages = optionsOf(STAGES, ({ request }) => !isSignUp || request === "account");
  const faults = optionsOf(FAULTS, ({ elements }) => elements.includes(element));
  const stage = select("stage", stages, initialStage(element));
  const login = select("login", optionsOf(LOGINS), defaultLogin(element));
  return [
    element.startsWith("uia-") ? row("Stages", stage) : row("Sign-in methods", login),
    ...(isSignUp ? [row("Stages of a new account", stage)] : []),
    row("Error", select("error", [["", "None"], ...faults])),
    row("Only at the next request", checkbox("once")),
  ];
}

function lookRows(): readonly HTMLElement[] {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  const languages: Options = [
    ...["en", ...LANGUAGES].map((tag) => [tag, `${names.of(tag)} (${tag})`] as const),
    // The package has no file for this language.
    ["fy", "West Frisian (fy): only with a custom string"],
  ];
  const texts = Object.entries(TEXTS).map(([name, text]) => [name, `${name}: ${text}`] as const);
  const directions = { "": "From the language", ltr: "Left to right", rtl: "Right to left" };
  const themes = { "": "System", light: "Light", dark: "Dark" };
  const widths = { "": "Full width", narrow: "320 pixels" };
  return [
    row("Language", select("language", languages, "en")),
    row("Direction", select("direction", Object.entries(directions))),
    row("Theme", select("theme", Object.entries(themes))),
    row("Width", select("width", Object.entries(widths))),
    row("Custom string", select("text-name", [["", "None"], ...texts])),
    row("Text", field("text")),
  ];
}

function attributeRow(
  { name, type, default: initial, description }: PlaygroundMember,
  element: string,
): HTMLElement {
  const key = `attribute:${name}`;
  const choices = [...(type?.text ?? "").matchAll(/"([^"]+)"/g)]
    .map(([, value = ""]) => value)
    .filter((value) => isOffered(element, name, value));
  if (type?.text === "boolean") return memberRow(name, checkbox(key), description);
  if (choices.length > 0) {
    const options = choices.map((value) => [value, value] as const);
    return memberRow(name, select(key, [["", "not set"], ...options]), description);
  }
  const text = field(key, {
    value: initialAttribute(element, name),
    ...(type?.text === "number" && { type: "number", min: "0", step: "500" }),
    ...(initial !== undefined && { placeholder: initial }),
  });
  return memberRow(name, text, description);
}

function tokenRow({ name, default: initial = "", description }: PlaygroundMember): HTMLElement {
  const text = field(`token:${name}`, { placeholder: initial });
  if (!/color$|background$/.test(name)) return memberRow(name, text, description);
  const picker = h("input", { type: "color", "aria-label": `Pick ${name}`, value: "#1d4fb8" });
  picker.addEventListener("input", () => {
    text.value = picker.value;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return memberRow(name, text, description, picker);
}

function partRow({ name, description }: PlaygroundMember): HTMLElement {
  const text = field(`part:${name}`, { placeholder: "font-style: italic" });
  const outline = checkbox(`outline:${name}`, { "aria-label": `Outline ${name}` });
  return memberRow(name, text, description, h("label", {}, outline, "Outline"));
}

function slotRow({ name, description }: PlaygroundMember): HTMLElement {
  const label = name || "(default)";
  const text = field(`slot:${name}`, { placeholder: "Text" });
  // `error-(code)` is a slot for each code.
  const [, variable] = /\((.*)\)/.exec(name) ?? [];
  if (!variable) return memberRow(label, text, description);
  const which = field(`slot-name:${name}`, {
    "aria-label": `Which ${label}`,
    placeholder: variable,
    class: "short",
  });
  return memberRow(label, text, description, which);
}

/** By default the code listens to the success event. */
function eventRow({ name, description }: PlaygroundMember, element: string): HTMLElement {
  const success = element === "matrix-login" ? "matrix-login-success" : "oidc-success";
  return memberRow(name, checkbox(`event:${name}`, { checked: name === success }), description);
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly rows: (element: string) => readonly HTMLElement[];
  /** Whether it is for all elements. Such a group is open at first, and its rows are not counted. */
  readonly isGeneral?: true;
}

/** A group with a row for each member of a kind. */
const members = (
  id: string,
  title: string,
  kind: PlaygroundMembers,
  toRow: (member: PlaygroundMember, element: string) => HTMLElement,
): Group => ({
  id,
  title,
  rows: (element) => (ELEMENTS[element]?.[kind] ?? []).map((member) => toRow(member, element)),
});

export const GROUPS: readonly Group[] = [
  { id: "servers", title: "Servers", rows: serverRows, isGeneral: true },
  { id: "look", title: "Language and appearance", rows: lookRows, isGeneral: true },
  members("attributes", "Attributes", "attributes", attributeRow),
  members("slots", "Slots", "slots", slotRow),
  members("tokens", "Custom properties", "cssProperties", tokenRow),
  members("parts", "Parts", "cssParts", partRow),
  members("events", "Event listeners", "events", eventRow),
];
