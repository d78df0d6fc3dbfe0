import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as MatrixLoginPart from "./lazy/matrix.js";

/** Loads everything of `<matrix-login>` that is not needed for the first paint. */
export const loadMatrixLogin: Load<typeof MatrixLoginPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/matrix.js"),
);
