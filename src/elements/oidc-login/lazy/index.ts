// What `<oidc-login>` needs once the user may soon act: with the part of the core that leads to the provider.
export { enOidc as texts } from "../../../locales/en-oidc.js";
export { LoginController } from "./login-controller.js";
