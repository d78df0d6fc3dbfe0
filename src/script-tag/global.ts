// The source of `dist/cdn/matrix-auth-elements.global.js`: `window.MatrixAuthElements`.
export { define } from "../define/index.js";
export * from "../index.js";
// For `dist/cdn/locales/*.global.js`.
export { addTexts } from "../locales/registry.js";
