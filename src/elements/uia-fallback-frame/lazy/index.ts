// What a stage on another site's page needs: a separate file in the bundle for script tags, loaded when
// such a page may be opened.
export { enFallback as texts } from "../../../locales/en-fallback.js";
export { FallbackPageController } from "./fallback-controller.js";
