// What completing a login needs: a separate file in the bundle for script tags, with the part of the core
// that handles a provider's answer.
export { enOidc as texts } from "../locales/en-oidc.js";
export { CallbackView } from "./oidc-callback/callback-view.js";
export { Completion } from "./oidc-callback/completion.js";
