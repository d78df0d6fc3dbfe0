export { OidcCancelEvent } from "./oidc-cancel.js";
export { OidcErrorEvent } from "./oidc-error.js";
export { OidcLoginStartEvent } from "./oidc-login-start.js";
export { OidcRedirectEvent } from "./oidc-redirect.js";
export { OidcSuccessEvent } from "./oidc-success.js";
