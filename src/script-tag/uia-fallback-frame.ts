// The source of `dist/cdn/elements/uia-fallback-frame.js`.
import "./check-integrity.js";

export * from "../define/uia-fallback-frame.js";
export { registerTranslation } from "./load-languages.js";
