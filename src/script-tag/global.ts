// The source of `dist/cdn/matrix-auth-elements.global.js`: `window.MatrixAuthElements`.
import { takeLanguageFiles } from "../texts/texts.js";

export { define } from "../define/index.js";
export * from "../index.js";

takeLanguageFiles();
