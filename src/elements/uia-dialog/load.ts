import { UiaError } from "../../core/uia/errors.js";
import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as DialogPart from "./lazy/uia.js";

/** Loads it ahead of its use: that this failed is nobody's error yet. */
export const preloadDialog: Load<typeof DialogPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/uia.js"),
);

/**
 * Loads everything of `<uia-dialog>` that is not needed for the first paint.
 *
 * @throws {UiaError} `load_failed`
 */
export const loadDialog: typeof preloadDialog = () =>
  preloadDialog().catch((cause: unknown) => {
    throw new UiaError("load_failed", "Part of this page couldn’t be loaded.", cause);
  });
