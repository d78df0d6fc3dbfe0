// The source of `dist/cdn/elements/oidc-callback.js`.
import "./check-integrity.js";

export * from "../define/oidc-callback.js";
export { registerTranslation } from "./load-languages.js";
