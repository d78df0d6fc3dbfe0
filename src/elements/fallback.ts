// What a stage on somebody else's page needs: a file of its own in the bundle for script tags, loaded where
// such a page may be opened.
export { enFallback as texts } from "../locales/en-fallback.js";
export { FallbackPageController } from "./uia-fallback-frame/fallback-page-controller.js";
