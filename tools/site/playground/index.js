// The playground's controls. They determine the page's URL, the preview, and the code to copy.
import { codeOf } from "./code.js";
import { controlsOf } from "./controls.js";
import { find, h } from "./dom.js";
import { lookControls, serverControls } from "./look-controls.js";
import { clearResults, showResults } from "./results.js";
import { DEFAULT_ELEMENT, keep, stateOf } from "./state.js";

const form = find("#controls", HTMLFormElement);
const frame = find("#preview", HTMLIFrameElement);
const status = find("#status", HTMLElement);
const code = find("#code code", HTMLElement);

/** Controls whose change opens a new page. All others change the current one. */
const BEGINS_ANEW = /^(element|login|stage|error|once|text|text-name|slot(-name)?:.*)$/;

/** The groups of controls, by ID. */
const GROUPS = {
  servers: "Servers",
  look: "Language and look",
  attributes: "Attributes",
  slots: "Slots",
  tokens: "Custom properties",
  parts: "Parts",
  events: "Event listeners",
};
for (const [id, title] of Object.entries(GROUPS)) {
  const count = h("span", { id: `${id}-count`, class: "count" });
  const summary = h("summary", {}, `${title} `, count);
  const group = h("div", { id, role: "group", "aria-label": title });
  const open = id === "servers" || id === "look";
  find(".controls", HTMLElement).append(h("details", { open }, summary, group));
}

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

/** The form's initial values for the chosen element. */
let initial = new URLSearchParams();

const chosen = () =>
  new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** Only values that differ from the initial ones. An unchecked box is empty. */
function changes() {
  const now = chosen();
  const names = [...new Set([...now.keys(), ...initial.keys()])];
  const changed = names.filter((name) => now.get(name) !== initial.get(name));
  return new URLSearchParams(changed.map((name) => [name, now.get(name) ?? ""]));
}

/** @param {string} element */
function showControls(element) {
  for (const [group, rows] of Object.entries(controlsOf(element))) {
    find(`#${group}`, HTMLElement).replaceChildren(...rows);
    find(`#${group}-count`, HTMLElement).textContent = String(rows.length);
  }
  find("#servers", HTMLElement).replaceChildren(...serverControls(element));
  find("#summary", HTMLElement).textContent = ELEMENTS[element]?.summary ?? "";
}

/** @param {URLSearchParams} given */
function restore(given) {
  for (const [name, value] of given) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLSelectElement) control.value = value;
    if (!(control instanceof HTMLInputElement)) continue;
    if (control.type === "checkbox") control.checked = value === "on";
    else control.value = value;
  }
}

/** @param {{ anew: boolean }} options */
function update({ anew }) {
  const all = chosen();
  const state = stateOf(all);
  keep(all);
  history.replaceState(null, "", `#${changes()}`);
  code.textContent = codeOf(state);
  frame.className = state.width;
  if (anew) begin();
  else frame.contentWindow?.postMessage({ changed: true }, location.origin);
}

function begin() {
  clearResults();
  frame.contentWindow?.location.replace(new URL("preview.html?start", location.href));
}

/** @param {URLSearchParams} given */
function showElement(given) {
  const { element } = stateOf(given);
  const known = Object.hasOwn(ELEMENTS, element) ? element : DEFAULT_ELEMENT;
  form.reset();
  showControls(known);
  initial = chosen();
  initial.set("element", DEFAULT_ELEMENT);
  find(`[name=element][value="${known}"]`, HTMLInputElement).checked = true;
  restore(given);
  update({ anew: true });
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", ({ target }) => {
  const { name } = /** @type {Control} */ (target);
  if (name && !BEGINS_ANEW.test(name)) update({ anew: false });
});
form.addEventListener("change", ({ target }) => {
  const { name, value } = /** @type {Control} */ (target);
  if (name === "element") {
    const others = /:|^(login|stage|error|once)$/;
    const given = new URLSearchParams([...changes()].filter(([each]) => !others.test(each)));
    given.set("element", value);
    showElement(given);
  } else if (BEGINS_ANEW.test(name)) {
    update({ anew: true });
  }
});
find("#reload", HTMLButtonElement).addEventListener("click", begin);
find("#defaults", HTMLButtonElement).addEventListener("click", () => {
  showElement(new URLSearchParams({ element: stateOf(chosen()).element }));
  status.textContent = "Everything is as it was.";
});
find("#copy", HTMLButtonElement).addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    status.textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(code);
    status.textContent = "Your browser does not let this page copy: the code is selected.";
  }
});

showResults(frame);
for (const link of document.querySelectorAll("a.skip")) {
  link.addEventListener("click", (event) => {
    // The fragment contains the choices.
    event.preventDefault();
    find(link.getAttribute("href") ?? "", HTMLElement).focus();
  });
}
window.addEventListener("hashchange", () =>
  showElement(new URLSearchParams(location.hash.slice(1))),
);

find("#elements", HTMLElement).append(
  ...Object.keys(ELEMENTS).map((tag) =>
    h(
      "label",
      {},
      h("input", { type: "radio", name: "element", value: tag }),
      h("code", {}, `<${tag}>`),
    ),
  ),
);
find("#look", HTMLElement).append(...lookControls());

try {
  // As the reader has chosen it on the other pages of the site.
  const appearance = localStorage.getItem("vitepress-theme-appearance");
  if (appearance === "dark" || appearance === "light") {
    document.documentElement.dataset["theme"] = appearance;
  }
  showElement(new URLSearchParams(location.hash.slice(1)));
} catch (error) {
  // A browser that is set to let no page store anything.
  if (!(error instanceof DOMException)) throw error;
  status.textContent = "The playground needs storage, which your browser does not allow this page.";
}
if (!isSecureContext) status.textContent = "The playground needs https, or a page on this machine.";
