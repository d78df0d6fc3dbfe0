// The source of `dist/cdn/matrix-auth-elements.global.js`: `window.MatrixAuthElements`.
import "./language-files.js";

export { define } from "../define/index.js";
export * from "../index.js";
