// What the elements need once somebody acts or something fails. It is loaded beside the core while the
// page is idle, and is a file of its own in the bundle for script tags.
export { enLater } from "../locales/en-later.js";
export { CallbackView } from "./oidc-callback/callback-view.js";
export { renderNotes } from "./oidc-login/login-notes.js";
export { LoginController } from "./oidc-login/login-controller.js";
