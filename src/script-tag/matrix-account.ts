// The source of `dist/cdn/elements/matrix-account.js`.
import "./check-integrity.js";

export { authClientContext } from "../context/auth-client.js";
export * from "../define/matrix-account.js";
export { registerTranslation } from "./load-languages.js";
