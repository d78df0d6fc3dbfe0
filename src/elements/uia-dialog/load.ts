import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as DialogPart from "./lazy/index.js";

/** Loads everything of `<uia-dialog>` that is not needed for the first paint. */
export const loadDialog: Load<typeof DialogPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/index.js"),
);
