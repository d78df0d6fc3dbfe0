// The source of `dist/cdn/elements/oidc-callback.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/oidc-callback.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
