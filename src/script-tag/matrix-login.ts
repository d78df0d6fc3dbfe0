// The source of `dist/cdn/elements/matrix-login.js`.
import "./check-integrity.js";

export * from "../define/matrix-login.js";
export { registerTranslation } from "./load-languages.js";
