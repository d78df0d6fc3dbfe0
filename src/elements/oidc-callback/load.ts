import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as CallbackPart from "./lazy/callback.js";

/** Loads everything of `<oidc-callback>` that is not needed for the first paint. */
export const loadCallback: Load<typeof CallbackPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/callback.js"),
);
