// The source of `dist/cdn/elements/oidc-login.js`.
export * from "../define/oidc-login.js";
export { registerTranslation } from "./load-languages.js";
