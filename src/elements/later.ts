// What the elements need once somebody acts or something fails. It is loaded beside the core while the
// page is idle, and is a file of its own in the bundle for script tags.
export { enErrors } from "../locales/en-errors.js";
export { Completion, nothingToComplete } from "./oidc-callback/completion.js";
export { readSettings } from "./oidc-login/login-settings.js";
export { checkTarget, findTarget, startLogin } from "./oidc-login/login-steps.js";
export { errorText } from "./shared/error-text.js";
export { ownAddress } from "./shared/settings.js";
