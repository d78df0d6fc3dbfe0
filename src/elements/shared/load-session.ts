import { lazyPart, type Load } from "./lazy-part.js";
import type * as SessionModule from "./lazy/session.js";

/** Loads what a page needs while a user is signed in. Pages may load it on their own, so it has no texts. */
export const loadSession: Load<typeof SessionModule> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/session.js"),
);
