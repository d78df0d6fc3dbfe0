// Each element in a page, with its surroundings and the page's code. The preview runs the same code that can
// be copied.
import { h } from "./dom.js";
import { stageOf } from "./scenarios.js";
import type { State } from "./state.js";

export const HOMESERVER = "example.org";

/** The homeserver's sign-in method, unless the user chooses another. */
export const defaultLogin = (element: string) =>
  element.startsWith("oidc-") ? "oauth" : element === "matrix-login" ? "legacy" : "password";

const INITIAL_STAGES: Readonly<Record<string, string>> = {
  "matrix-login": "terms",
  "uia-fallback-frame": "recaptcha",
};

export const initialStage = (element: string) => INITIAL_STAGES[element] ?? "password";

/** An attribute's default value. */
export const initialAttribute = (element: string, name: string) =>
  name === "homeserver" && element !== "uia-fallback-frame" ? HOMESERVER : "";

/**
 * Whether the attribute's value works here. A framed page has no origin, so no service worker, which is the homeserver
 * here, can send it.
 */
export const isOffered = (element: string, name: string, value: string) =>
  !(element === "uia-fallback-frame" && name === "mode" && value === "frame");

/** The element, with its attributes and slotted content. */
export function elementOf({ element, attributes: chosen, slots, stage }: State): HTMLElement {
  const made = document.createElement(element);
  const own = element === "uia-fallback-frame" ? { stage: ownPageOf(stage) } : {};
  for (const [name, value] of Object.entries({ ...own, ...chosen })) {
    const { type } = ELEMENTS[element]?.attributes?.find((each) => each.name === name) ?? {};
    made.setAttribute(name, type?.text === "boolean" ? "" : value);
  }
  made.append(...slots.map(({ name, text }) => (name ? h("span", { slot: name }, text) : text)));
  return made;
}

/** The stage of a flow that the user completes on a separate page. */
export function ownPageOf(id: string): string {
  const [flow = []] = stageOf(id).flows;
  return flow.find((stage) => stage !== "m.login.password") ?? "m.login.password";
}

/** The content of a page with the element. `alone`: the user has not signed in yet. */
export function pageOf(state: State, { alone = false } = {}): readonly HTMLElement[] {
  const element = elementOf(state);
  const isDevice = stageOf(state.stage).request === "device";
  const login = (tag: "matrix-login" | "oidc-login", needed = true) =>
    alone && needed ? [h(tag, { homeserver: HOMESERVER })] : [];
  const outcome = h("p", { id: "outcome", role: "status" });
  switch (state.element) {
    case "oidc-login":
      return [h("oidc-callback"), element];
    case "oidc-callback":
      return [element, ...login("oidc-login")];
    case "matrix-account":
      return [...login("matrix-login"), element];
    case "uia-dialog": {
      const text = isDevice ? "Sign out the old laptop" : "Create an account";
      const ask = h("button", { id: "ask", type: "button", disabled: alone }, text);
      return [...login("matrix-login", isDevice), ask, element, outcome];
    }
    case "uia-fallback-frame":
      return [element, outcome];
    default:
      return [element];
  }
}
