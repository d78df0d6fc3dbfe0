// The entry that registers every element declares them all.
import { define } from "matrix-auth-elements/define";

define(customElements);
document
  .querySelector("matrix-login")
  ?.addEventListener("matrix-login-success", ({ detail }) => detail.session.key.length);
document.querySelector("oidc-login")?.addEventListener("oidc-redirect", ({ detail }) => detail.url);
document.querySelector("oidc-callback")?.complete("https://app.example/?code=1&state=2");
document
  .querySelector("uia-dialog")
  ?.addEventListener("uia-success", ({ detail }) => detail.result);
document.querySelector("uia-fallback-frame")?.open();
document
  .querySelector("matrix-account")
  ?.addEventListener("matrix-account-change", ({ detail }) => detail.section);
