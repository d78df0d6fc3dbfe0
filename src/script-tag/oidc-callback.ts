// The source of `dist/cdn/elements/oidc-callback.js`.
export * from "../define/oidc-callback.js";
export { registerTranslation } from "./load-languages.js";
