// Each element in a page, with its surroundings and the page's code. The preview runs it, and the
// code to copy is the same.
import { h } from "./dom.js";
import { stageOf } from "./scenarios.js";

/** @typedef {import("./state.js").State} State */

export const HOMESERVER = "example.org";

/** How the homeserver signs users in, unless that is chosen. @type {Readonly<Record<string, string>>} */
export const DEFAULT_LOGIN = {
  "matrix-account": "password",
  "matrix-login": "legacy",
  "uia-dialog": "password",
  "uia-fallback-frame": "password",
};

/** The default stage. @param {string} element */
export const initialStage = (element) => INITIAL_STAGES[element] ?? "password";

/** @type {Readonly<Record<string, string>>} */
const INITIAL_STAGES = { "matrix-login": "terms", "uia-fallback-frame": "recaptcha" };

/** An attribute's default value. @param {string} element @param {string} name */
export const initialAttribute = (element, name) =>
  name === "homeserver" && element !== "uia-fallback-frame" ? HOMESERVER : "";

/**
 * The element, with its attributes and slotted content.
 *
 * @param {State} state
 * @returns {HTMLElement}
 */
export function elementOf({ element, attributes: chosen, slots, stage }) {
  const made = document.createElement(element);
  const own = element === "uia-fallback-frame" ? { stage: ownPageOf(stage) } : {};
  for (const [name, value] of Object.entries({ ...own, ...chosen })) {
    const { type } = ELEMENTS[element]?.attributes?.find((each) => each.name === name) ?? {};
    made.setAttribute(name, type?.text === "boolean" ? "" : value);
  }
  made.append(
    ...Object.entries(slots).map(([slot, text]) => (slot ? h("span", { slot }, text) : text)),
  );
  return made;
}

/** The stage of a flow that is completed on a separate page. @param {string} id */
export function ownPageOf(id) {
  const [flow = []] = stageOf(id).flows;
  return flow.find((stage) => stage !== "m.login.password") ?? "m.login.password";
}

/**
 * The content of a page with the element.
 *
 * @param {State} state
 * @param {{ alone?: boolean }} [options] `alone`: no user is signed in yet.
 * @returns {readonly HTMLElement[]}
 */
export function pageOf(state, { alone = false } = {}) {
  const element = elementOf(state);
  const { request } = stageOf(state.stage);
  switch (state.element) {
    case "oidc-login":
      return [h("oidc-callback"), element];
    case "oidc-callback":
      return [element, ...(alone ? [h("oidc-login", { homeserver: HOMESERVER })] : [])];
    case "matrix-account":
      return [...(alone ? [h("matrix-login", { homeserver: HOMESERVER })] : []), element];
    case "uia-dialog":
      return [
        ...(alone && request === "device" ? [h("matrix-login", { homeserver: HOMESERVER })] : []),
        h(
          "button",
          { id: "ask", type: "button", ...(alone && { disabled: true }) },
          request === "device" ? "Sign out the old laptop" : "Create an account",
        ),
        element,
        h("p", { id: "outcome", role: "status" }),
      ];
    case "uia-fallback-frame":
      return [element, h("p", { id: "outcome", role: "status" })];
    default:
      return [element];
  }
}
