// The source of `dist/cdn/elements/matrix-account.js`.
import { loadLanguages } from "./load-languages.js";

export { authClientContext } from "../context/auth-client.js";
export * from "../define/matrix-account.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
