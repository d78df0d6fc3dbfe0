// The source of `dist/cdn/elements/uia-fallback-frame.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/uia-fallback-frame.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
