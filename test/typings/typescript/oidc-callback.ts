// The element's entry declares the element and its events.
import { OidcCallbackElement } from "matrix-auth-elements/oidc-callback";

OidcCallbackElement.define("my-callback");
const callback = document.createElement("oidc-callback");
callback.addEventListener("oidc-success", ({ detail }) => detail.homeserverUrl.length);
callback.addEventListener("oidc-error", ({ detail }) => detail.error.code.length);
callback.addEventListener("oidc-cancel", ({ detail }) => detail.reason.length);
callback.addEventListener("matrix-login-success", ({ detail }) => detail.session.key.length);
callback.addEventListener("matrix-login-error", ({ detail }) => detail.code.length);
