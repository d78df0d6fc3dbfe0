// The source of `dist/cdn/oidc-callback.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/oidc-callback.js";
export { registerTranslation } from "../locales/registry.js";

loadLanguages();
