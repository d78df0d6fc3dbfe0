// The controls that every element has: its servers, its language and its look.
import { checkbox, field, row, select } from "./controls.js";
import { FAULTS } from "./faults.js";
import { LOGINS, STAGES } from "./scenarios.js";
import { DEFAULT_LOGIN, initialStage } from "./setups.js";

/**
 * @param {Readonly<Record<string, { label: string }>>} choices
 * @returns {[id: string, label: string][]}
 */
const options = (choices) => Object.entries(choices).map(([id, { label }]) => [id, label]);

/** @param {string} text @param {HTMLElement} control */
const setting = (text, control) => row(text, control, { plain: true });

/** @param {string} element @returns {readonly HTMLElement[]} */
export function serverControls(element) {
  const isUia = element.startsWith("uia-");
  const isSignUp = element === "matrix-login";
  const stages = Object.entries(STAGES).filter(
    ([, { request }]) => !isSignUp || request === "account",
  );
  const stage = select("stage", options(Object.fromEntries(stages)), initialStage(element));
  const login = select("login", options(LOGINS), DEFAULT_LOGIN[element] ?? "oauth");
  const faults = Object.entries(FAULTS).filter(([, { elements }]) => elements.includes(element));
  return [
    ...(isUia ? [setting("Stages", stage)] : [setting("Sign-in methods", login)]),
    ...(isSignUp ? [setting("Stages of a new account", stage)] : []),
    setting("Error", select("error", [["", "None"], ...options(Object.fromEntries(faults))])),
    setting("Only at the next request", checkbox("once")),
  ];
}

/** @returns {readonly HTMLElement[]} */
export function lookControls() {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  /** @type {[string, string][]} */
  const languages = ["en", ...LANGUAGES].map((tag) => [tag, `${names.of(tag)} (${tag})`]);
  // One that the package has no file for.
  languages.push(["fy", "West Frisian (fy): only with a custom string"]);
  /** @type {[string, string][]} */
  const texts = Object.entries(TEXTS).map(([name, text]) => [name, `${name}: ${text}`]);
  const directions = { "": "The language’s", ltr: "Left to right", rtl: "Right to left" };
  const themes = { "": "The system’s", light: "Light", dark: "Dark" };
  const widths = { "": "All there is", narrow: "320 pixels" };
  return [
    setting("Language", select("language", languages, "en")),
    setting("Direction", select("direction", Object.entries(directions))),
    setting("Theme", select("theme", Object.entries(themes))),
    setting("Width", select("width", Object.entries(widths))),
    setting("Custom string", select("text-name", [["", "None"], ...texts])),
    setting("Its words", field("text")),
  ];
}
