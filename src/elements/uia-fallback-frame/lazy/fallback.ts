// What a stage on another site's page needs once such a page may be opened.
export { enFallback as texts } from "../../../locales/en-fallback.js";
export { FallbackController } from "./controller.js";
export { instructionOf } from "./url.js";
