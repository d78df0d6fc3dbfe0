// The playground's controls. They determine the page's URL, the preview, and the code to copy.
import { codeOf } from "./code.js";
import { GROUPS } from "./controls.js";
import { find, h } from "./dom.js";
import { clearResults, showResults } from "./results.js";
import { DEFAULT_ELEMENT, keep, keepSiteTheme, siteTheme, stateOf } from "./state.js";

const form = find("#controls", HTMLFormElement);
const frame = find("#preview", HTMLIFrameElement);
const status = find("#status");
const code = find("#code code");

/** Changes of these controls open a new page. Others change the current one. */
const BEGINS_ANEW = /^(element|login|stage|error|once|text|text-name|slot(-name)?:.*)$/;

/** Controls that depend on the element. */
const OF_ELEMENT = /:|^(login|stage|error|once)$/;

/** The form's initial values for the chosen element. */
let initial = new URLSearchParams();

const chosen = () =>
  new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** Only values that differ from the initial ones. An unchecked box is empty. */
function changes(): URLSearchParams {
  const now = chosen();
  const names = [...new Set([...now.keys(), ...initial.keys()])];
  const changed = names.filter((name) => now.get(name) !== initial.get(name));
  return new URLSearchParams(changed.map((name) => [name, now.get(name) ?? ""]));
}

function showControls(element: string): void {
  for (const { id, rows, isGeneral } of GROUPS) {
    const made = rows(element);
    find(`#${id}`).replaceChildren(...made);
    if (!isGeneral) find(`#${id}-count`).textContent = String(made.length);
  }
  find("#summary").textContent = ELEMENTS[element]?.summary ?? "";
}

function restore(given: URLSearchParams): void {
  for (const [name, value] of given) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLSelectElement) control.value = value;
    if (!(control instanceof HTMLInputElement)) continue;
    if (control.type === "checkbox") control.checked = value === "on";
    else control.value = value;
  }
}

function update({ anew }: { anew: boolean }): void {
  const all = chosen();
  const state = stateOf(all);
  keep(all);
  history.replaceState(null, "", `#${changes()}`);
  code.textContent = codeOf(state);
  frame.className = state.width;
  if (anew) begin();
  else frame.contentWindow?.postMessage({ changed: true }, location.origin);
}

function begin(): void {
  clearResults();
  frame.contentWindow?.location.replace(new URL("preview.html?start", location.href));
}

function showElement(given: URLSearchParams): void {
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

const showLinked = () => showElement(new URLSearchParams(location.hash.slice(1)));

for (const { id, title, isGeneral = false } of GROUPS) {
  const summary = h("summary", {}, `${title} `, h("span", { id: `${id}-count` }));
  const group = h("div", { id, role: "group", "aria-label": title });
  find(".controls").append(h("details", { open: isGeneral }, summary, group));
}
for (const tag of Object.keys(ELEMENTS)) {
  const choice = h("input", { type: "radio", name: "element", value: tag });
  find("#elements").append(h("label", {}, choice, h("code", {}, `<${tag}>`)));
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", ({ target }) => {
  const { name } = target as HTMLInputElement | HTMLSelectElement;
  if (name && !BEGINS_ANEW.test(name)) update({ anew: false });
});
form.addEventListener("change", ({ target }) => {
  const { name, value } = target as HTMLInputElement | HTMLSelectElement;
  if (name === "element") {
    const given = new URLSearchParams([...changes()].filter(([each]) => !OF_ELEMENT.test(each)));
    given.set("element", value);
    showElement(given);
  } else if (BEGINS_ANEW.test(name)) {
    update({ anew: true });
  }
});
find("#reload").addEventListener("click", begin);
find("#defaults").addEventListener("click", () => {
  showElement(new URLSearchParams({ element: stateOf(chosen()).element }));
  status.textContent = "Everything is as it was.";
});
find("#copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    status.textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(code);
    status.textContent = "Your browser does not let this page copy: the code is selected.";
  }
});
for (const link of document.querySelectorAll("a.skip")) {
  link.addEventListener("click", (event) => {
    // The fragment contains the choices.
    event.preventDefault();
    find(link.getAttribute("href") ?? "").focus();
  });
}
/** @returns Whether the page is dark. */
function showTheme(): boolean {
  const theme = siteTheme();
  if (theme) document.documentElement.dataset["theme"] = theme;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  find("#theme").setAttribute("aria-checked", String(isDark));
  return isDark;
}
find("#theme").addEventListener("click", () => {
  keepSiteTheme(showTheme() ? "light" : "dark");
  showTheme();
});
window.addEventListener("hashchange", showLinked);
showResults(frame);

try {
  showTheme();
  showLinked();
} catch (error) {
  // The browser blocks storage.
  if (!(error instanceof DOMException)) throw error;
  status.textContent = "The playground needs storage, which your browser does not allow this page.";
}
if (!isSecureContext) status.textContent = "The playground needs https, or a page on this machine.";
