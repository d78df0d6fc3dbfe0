// The controls that every element has: its servers, its language and its look.
import { checkbox, row, select } from "./controls.js";
import { h } from "./dom.js";
import { FAULTS } from "./faults.js";
import { LOGINS, STAGES } from "./scenarios.js";
import { DEFAULT_LOGIN, initialStage } from "./setups.js";

/** @param {readonly { id: string, label: string }[]} list @returns {[string, string][]} */
const options = (list) => list.map(({ id, label }) => [id, label]);

/** @param {string} element @returns {readonly HTMLElement[]} */
export function serverControls(element) {
  const isUia = element.startsWith("uia-");
  const logins = Object.entries(LOGINS).map(([id, { label }]) => ({ id, label }));
  const login = select("login", options(logins), DEFAULT_LOGIN[element] ?? "oauth");
  const isSignUp = element === "matrix-login";
  const stages = STAGES.filter(({ request }) => !isSignUp || request === "account");
  const stage = select("stage", options(stages), initialStage(element));
  const faults = FAULTS.filter(({ elements }) => elements.includes(element));
  const error = select("error", [["", "None"], ...options(faults)]);
  return [
    ...(isUia ? [] : [row("Sign-in methods", login, { plain: true })]),
    ...(isUia ? [row("Stages", stage, { plain: true })] : []),
    ...(isSignUp ? [row("Stages of a new account", stage, { plain: true })] : []),
    row("Error", error, { plain: true }),
    row("Only at the next request", checkbox("once"), { plain: true }),
  ];
}

/** One that the package has no file for. */
const OWN_LANGUAGE = { id: "fy", label: "West Frisian (fy): only with a text of your own" };

export function lookControls() {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  const tags = ["en", ...LANGUAGES];
  const languages = tags.map((id) => ({ id, label: `${names.of(id)} (${id})` }));
  languages.push(OWN_LANGUAGE);
  const texts = Object.entries(TEXTS).map(([id, text]) => ({ id, label: `${id}: ${text}` }));
  return [
    row("Language", select("language", options(languages), "en"), { plain: true }),
    row(
      "Direction",
      select("direction", [
        ["", "The language’s"],
        ["ltr", "Left to right"],
        ["rtl", "Right to left"],
      ]),
      { plain: true },
    ),
    row(
      "Theme",
      select("theme", [
        ["", "The system’s"],
        ["light", "Light"],
        ["dark", "Dark"],
      ]),
      { plain: true },
    ),
    row(
      "Width",
      select("width", [
        ["", "All there is"],
        ["narrow", "320 pixels"],
      ]),
      { plain: true },
    ),
    row("A text of your own", select("text-name", [["", "None"], ...options(texts)]), {
      plain: true,
    }),
    row("Its words", h("input", { name: "text", type: "text", autocomplete: "off" }), {
      plain: true,
    }),
  ];
}
