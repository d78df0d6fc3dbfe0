// The source of `dist/cdn/elements/matrix-login.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../define/matrix-login.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
