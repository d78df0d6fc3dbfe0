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
  const faults = FAULTS.filter(({ elements }) => elements.includes(element));
  return [
    row("Sign-in methods", select("login", options(logins), DEFAULT_LOGIN[element] ?? "oauth"), {
      plain: true,
    }),
    row("Stages", select("stage", options(STAGES), initialStage(element)), {
      description: isUia
        ? "What the homeserver asks for."
        : "What the homeserver asks for before it creates an account.",
      plain: true,
    }),
    row("Error", select("error", [["", "None"], ...options(faults)]), { plain: true }),
    row("Only for the next request", checkbox("once"), { plain: true }),
  ];
}

export function lookControls() {
  const names = new Intl.DisplayNames(["en"], { type: "language" });
  const tags = ["en", ...LANGUAGES];
  const languages = tags.map((id) => ({ id, label: `${names.of(id)} (${id})` }));
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
