// The page with the element, in the playground's frame. In a popup, the page to which the provider returns.
import type { UiaDialogElement } from "../../../dist/index.js";
import { define, registerTranslation } from "../../../dist/script-tag/matrix-auth-elements.js";
import { describe } from "./describe-event.js";
import { find, h } from "./dom.js";
import { FAULTS, type Fault } from "./faults.js";
import { runPage } from "./run-page.js";
import { FOLDER, startServers } from "./servers.js";
import { HOMESERVER, elementOf, initialAttribute, initialStage, pageOf } from "./setups.js";
import { directionOf, keep, kept, siteTheme, stateOf } from "./state.js";
import { cssOf } from "./styles.js";

const isPopup = window.parent === window;
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

const address = new URL(location.href);
const { searchParams: given } = address;
const params = given.has("element") ? defaultsOf(given.get("element") ?? "") : kept();
let state = stateOf(params);
const { servers, fail } = await startServers(state);
if (given.has("start")) {
  forget();
  servers.reset();
  history.replaceState(null, "", address.pathname);
}

/** The playground's initial choices, because the site's other pages name only the element. */
function defaultsOf(element: string): URLSearchParams {
  const params = new URLSearchParams({ element, stage: initialStage(element) });
  for (const { name } of ELEMENTS[element]?.attributes ?? []) {
    params.set(`attribute:${name}`, initialAttribute(element, name));
  }
  return params;
}

/** Removes the elements' records of these servers: pending sign-ins, clients, sessions. */
function forget(): void {
  for (const storage of [sessionStorage, localStorage]) {
    for (const [key, value] of Object.entries<string>(storage)) {
      if (value.includes(FOLDER)) storage.removeItem(key);
    }
  }
  keep(params);
}

const report = (message: Readonly<Record<string, unknown>>) => {
  if (!isPopup) window.parent.postMessage(message, location.origin);
};

globalThis.fetch = (input, init) => servers.fetch(input, init).finally(reportMessages);

/** Reports the messages that the homeserver has sent by email or to a phone. */
const reportMessages = () => report({ messages: servers.messages });

if (FAULTS[state.error]?.blocksPopups) window.open = () => null;
for (const { events = [] } of Object.values(ELEMENTS)) {
  for (const { name } of events) document.addEventListener(name, reportEvent, { capture: true });
}

function reportEvent(event: Event): void {
  const target = event.target instanceof Element ? event.target.localName : "";
  const detail = "detail" in event ? describe(event.detail) : "";
  report({ event: { name: event.type, target, detail } });
}

/** Reports the element's state after each rendering. */
function reportState(): void {
  const host = document.querySelector<UiaDialogElement>(state.element);
  host?.addController({ hostUpdated: () => report({ state: host.state }) });
}

function applyToPage(): void {
  const { documentElement } = document;
  documentElement.lang = state.language;
  documentElement.dir = directionOf(state);
  const theme = state.theme || siteTheme();
  sheet.replaceSync(cssOf({ ...state, theme }, { outlines: true }));
}

define();
const main = find("main", HTMLElement);
applyToPage();
if (state.textName && state.text) {
  registerTranslation({ $code: state.language, [state.textName]: state.text });
}
if (isPopup) {
  main.append(h("oidc-callback"));
} else {
  if (state.element === "oidc-callback") await comeBack();
  fail();
  main.append(...pageOf(state));
  reportState();
  await runPage(state, servers);
}
reportMessages();

/** Signs in with the provider, so that the callback can complete the response. */
async function comeBack(): Promise<void> {
  if (new URLSearchParams(location.search || location.hash.slice(1)).has("state")) return;
  const login = h("oidc-login", { homeserver: HOMESERVER, hidden: true });
  const leaving = new Promise<string>((resolve) =>
    login.addEventListener("oidc-redirect", (event) => {
      event.preventDefault();
      resolve(event.detail.url);
    }),
  );
  main.append(login);
  await login.updateComplete;
  void login.login();
  const url = await leaving;
  login.remove();
  history.replaceState(null, "", responseUrl(url, FAULTS[state.error]?.response));
}

/** The provider's redirect to the page. @param url The provider's URL. */
function responseUrl(url: string, response: Fault["response"]): string {
  if (response === "decline") return servers.decline(url);
  const back = servers.approve(url);
  if (response === "forget") return back.replace(/state=[\w-]+/, "state=unknown");
  if (response === "mix-up") return back.replace(/iss=[^&]+/, "iss=https%3A%2F%2Fother.example%2F");
  if (response === "expire") {
    for (const [key, record] of Object.entries<string>(sessionStorage)) {
      const begun = record.replace(/(?<="createdAt":)\d+/, (time: string) =>
        String(Number(time) - 86_400_000),
      );
      sessionStorage.setItem(key, begun);
    }
  }
  return back;
}

// The reader has switched the theme of the site's page around this one.
window.addEventListener("storage", applyToPage);

// Changes of slotted content open a new page, because most of a dialog's children are the dialog's own.
window.addEventListener("message", ({ source, origin }) => {
  if (source !== window.parent || origin !== location.origin) return;
  const before = elementOf(state);
  state = stateOf(kept());
  const after = elementOf(state);
  applyToPage();
  const element = document.querySelector(after.localName);
  for (const name of new Set([...before.getAttributeNames(), ...after.getAttributeNames()])) {
    const value = after.getAttribute(name);
    if (value === before.getAttribute(name)) continue;
    if (value === null) element?.removeAttribute(name);
    else element?.setAttribute(name, value);
  }
});
