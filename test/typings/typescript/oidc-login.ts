// The element's entry declares the element and its events.
import { OidcLoginElement } from "matrix-auth-elements/oidc-login";

OidcLoginElement.define("my-login");
const login = document.createElement("oidc-login");
login.addEventListener("oidc-login-start", ({ detail }) => detail.homeserver?.length);
login.addEventListener("oidc-redirect", ({ detail }) => detail.url.length);
login.addEventListener("oidc-error", ({ detail }) => detail.error.code.length);
login.addEventListener("oidc-cancel", ({ detail }) => detail.reason.length);
