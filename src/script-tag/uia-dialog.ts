// The source of `dist/cdn/elements/uia-dialog.js`.
import "./check-integrity.js";

export { authClientContext } from "../context/auth-client.js";
export { uiaSessionContext } from "../context/uia-session.js";
export * from "../define/uia-dialog.js";
export { registerTranslation } from "./load-languages.js";
