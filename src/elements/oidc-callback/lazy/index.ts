// What completing a login needs: a separate file in the bundle for script tags, with the part of the core
// that handles a provider's response.
export { enOidc as texts } from "../../../locales/en-oidc.js";
export { CallbackView } from "./callback-controller.js";
export { Completion } from "../../shared/lazy/login-completion.js";
