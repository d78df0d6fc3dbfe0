// What completing a login needs: with the part of the core that takes a provider's response.
import { enCompletion } from "../../../locales/en-completion.js";
import { enOidc } from "../../../locales/en-oidc.js";

export const texts = { ...enOidc, ...enCompletion };
export { CallbackController } from "./controller.js";
