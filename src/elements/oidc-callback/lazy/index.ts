// What completing a login needs: with the part of the core that takes a provider's response.
export { enOidc as texts } from "../../../locales/en-oidc.js";
export { CallbackController } from "./callback-controller.js";
