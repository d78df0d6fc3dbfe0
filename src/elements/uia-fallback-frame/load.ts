import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as FallbackPart from "./lazy/fallback.js";

/** Loads everything of `<uia-fallback-frame>` that is not needed for the first paint. */
export const loadFallback: Load<typeof FallbackPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/fallback.js"),
);
