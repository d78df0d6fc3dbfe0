import { lazyPart, type Load } from "../shared/lazy-part.js";
import type * as LoginPart from "./lazy/login.js";

/** Loads everything of `<oidc-login>` that is not needed for the first paint. */
export const loadLogin: Load<typeof LoginPart> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/login.js"),
);
