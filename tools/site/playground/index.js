// The playground's controls: they make the page's URL, what the preview shows, and the code to copy.
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

/** Controls whose change begins a new page; all others change the one that is there. */
const BEGINS_ANEW = /^(element|login|stage|error|once|text|text-name|slot(-name)?:.*)$/;

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

const controls = () =>
  [...form.elements].filter(
    /** @returns {each is Control} */
    (each) =>
      (each instanceof HTMLInputElement || each instanceof HTMLSelectElement) &&
      each.name !== "" &&
      (each.getAttribute("type") !== "radio" || /** @type {HTMLInputElement} */ (each).checked),
  );

/** @param {Control} control */
const valueOf = (control) =>
  control.type === "checkbox" ? (isChecked(control) ? "on" : "") : control.value;

/** @param {Control} control */
const isChecked = (control) => control instanceof HTMLInputElement && control.checked;

/** @param {Control} control */
function initialOf(control) {
  if (control instanceof HTMLSelectElement) {
    return ([...control.options].find((each) => each.defaultSelected) ?? control.options[0])?.value;
  }
  if (control.type === "radio") return DEFAULT_ELEMENT;
  return control.type === "checkbox" ? (control.defaultChecked ? "on" : "") : control.defaultValue;
}

/** @param {boolean} changed Only what differs from what it is at first. */
const params = (changed) =>
  new URLSearchParams(
    controls()
      .filter((control) => !changed || valueOf(control) !== initialOf(control))
      .map((control) => [control.name, valueOf(control)]),
  );

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
  for (const control of [...form.elements]) {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
    const value = given.get(control.name);
    if (value === null) continue;
    if (control.type === "checkbox")
      /** @type {HTMLInputElement} */ (control).checked = value === "on";
    else if (control.type !== "radio") control.value = value;
  }
}

/** @param {{ anew: boolean }} options */
function update({ anew }) {
  const all = params(false);
  const state = stateOf(all);
  keep(all);
  history.replaceState(null, "", `#${params(true)}`);
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
  const radio = form.querySelector(`[name=element][value="${known}"]`);
  if (radio instanceof HTMLInputElement) radio.checked = true;
  showControls(known);
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
    const given = new URLSearchParams([...params(true)].filter(([each]) => !each.includes(":")));
    for (const each of ["login", "stage", "error", "once"]) given.delete(each);
    given.set("element", value);
    showElement(given);
  } else if (BEGINS_ANEW.test(name)) {
    update({ anew: true });
  }
});
find("#reload", HTMLButtonElement).addEventListener("click", begin);
find("#defaults", HTMLButtonElement).addEventListener("click", () => {
  showElement(new URLSearchParams({ element: stateOf(params(false)).element }));
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
    // The fragment is what has been chosen.
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

/** As the reader has chosen it on the other pages of the site. */
function applyAppearance() {
  const appearance = localStorage.getItem("vitepress-theme-appearance");
  if (appearance === "dark" || appearance === "light") {
    document.documentElement.style.colorScheme = appearance;
  }
}

try {
  applyAppearance();
  showElement(new URLSearchParams(location.hash.slice(1)));
} catch (error) {
  // A browser that is set to let no page store anything.
  if (!(error instanceof DOMException)) throw error;
  status.textContent = "The playground needs storage, which your browser does not allow this page.";
}
if (!isSecureContext) status.textContent = "The playground needs https, or a page on this machine.";
