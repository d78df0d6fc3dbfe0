// What `<oidc-login>` needs once the user may soon act: with the part of the core that leads to the provider.
import { enLogin } from "../../../locales/en-login.js";
import { enOidc } from "../../../locales/en-oidc.js";

export const texts = { ...enOidc, ...enLogin };
export { LoginController } from "./controller.js";
