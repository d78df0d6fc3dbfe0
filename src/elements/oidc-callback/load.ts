import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as CallbackPart from "./lazy/index.js";

/** Loads everything of `<oidc-callback>` that is not needed for the first paint. */
export const loadCallback: Load<typeof CallbackPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/index.js"),
);
