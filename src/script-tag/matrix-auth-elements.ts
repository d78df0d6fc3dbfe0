// The source of `dist/cdn/matrix-auth-elements.js`.
import "./check-integrity.js";
import "./load-languages.js";

export * from "../all-elements.js";
export { define } from "../define/index.js";
