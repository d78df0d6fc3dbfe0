// The source of `dist/cdn/elements/oidc-login.js`.
import "./check-integrity.js";

export * from "../define/oidc-login.js";
export { registerTranslation } from "./load-languages.js";
