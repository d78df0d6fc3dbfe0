// Each element as it stands in a page: what is around it, and what that page does with it. The preview shows it, and
// the code says the same.
import { stageOf } from "./scenarios.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {{ tag: string, attributes: Record<string, string | true>, children: (Markup | string)[] }} Markup */

export const HOMESERVER = "example.org";

/** How the homeserver signs users in, unless that is chosen. @type {Readonly<Record<string, string>>} */
export const DEFAULT_LOGIN = {
  "matrix-login": "legacy",
  "uia-dialog": "password",
  "uia-fallback-frame": "password",
};

/** Which stage it asks for, unless that is chosen. @param {string} element */
export const initialStage = (element) => INITIAL_STAGES[element] ?? "password";

/** @type {Readonly<Record<string, string>>} */
const INITIAL_STAGES = { "matrix-login": "terms", "uia-fallback-frame": "recaptcha" };

/** What an attribute has until it is changed. @param {string} element @param {string} name */
export const initialAttribute = (element, name) =>
  name === "homeserver" && element !== "uia-fallback-frame" ? HOMESERVER : "";

/**
 * @param {string} tag
 * @param {Record<string, string | true>} [attributes]
 * @param {...(Markup | string)} children
 * @returns {Markup}
 */
const node = (tag, attributes = {}, ...children) => ({ tag, attributes, children });

/**
 * The element, with its attributes and what is in its slots.
 *
 * @param {State} state
 * @returns {Markup}
 */
export function elementOf({ element, attributes: chosen, slots, stage }) {
  const attributes =
    element === "uia-fallback-frame" ? { stage: ownPageOf(stage), ...chosen } : chosen;
  const isBoolean = (/** @type {string} */ name) =>
    ELEMENTS[element]?.attributes.some((each) => each.name === name && each.type === "boolean");
  return node(
    element,
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, isBoolean(name) ? true : value]),
    ),
    ...Object.entries(slots).map(([name, text]) =>
      name === "" ? text : node("span", { slot: name }, text),
    ),
  );
}

/** Of a flow the stage that is completed on a page of its own. @param {string} id */
export function ownPageOf(id) {
  const [flow = []] = stageOf(id).flows;
  return flow.find((stage) => stage !== "m.login.password") ?? "m.login.password";
}

/**
 * What a page with the element contains.
 *
 * @param {State} state
 * @param {{ alone?: boolean }} [options] `alone`: nobody is signed in yet.
 * @returns {readonly Markup[]}
 */
export function pageOf(state, { alone = false } = {}) {
  const element = elementOf(state);
  const { request } = stageOf(state.stage);
  switch (state.element) {
    case "oidc-login":
      return [node("oidc-callback"), element];
    case "oidc-callback":
      return [element, ...(alone ? [node("oidc-login", { homeserver: HOMESERVER })] : [])];
    case "uia-dialog":
      return [
        ...(alone && request === "device"
          ? [node("matrix-login", { homeserver: HOMESERVER })]
          : []),
        node(
          "button",
          { id: "ask", type: "button", ...(alone && { disabled: true }) },
          request === "device" ? "Sign out the old laptop" : "Create an account",
        ),
        element,
        node("p", { id: "outcome", role: "status" }),
      ];
    case "uia-fallback-frame":
      return [element, node("p", { id: "outcome", role: "status" })];
    default:
      return [element];
  }
}
