// The source of `dist/cdn/elements/oidc-login.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/oidc-login.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
