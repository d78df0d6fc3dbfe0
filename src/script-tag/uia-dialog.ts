// The source of `dist/cdn/elements/uia-dialog.js`.
import { loadLanguages } from "./load-languages.js";

export { authClientContext } from "../context/auth-client.js";
export { uiaSessionContext } from "../context/uia-session.js";
export * from "../define/uia-dialog.js";
export { registerTranslation } from "../texts/texts.js";

loadLanguages();
