// The source of `dist/cdn/uia-dialog.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/uia-dialog.js";
export { registerTranslation } from "../locales/registry.js";

loadLanguages();
