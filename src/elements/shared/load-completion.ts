import { lazyPart, type Load } from "./lazy-part.js";
import type * as CompletionModule from "./lazy/login-completion.js";

/** Loads what completes a login: the way back from the provider. */
export const loadCompletion: Load<typeof CompletionModule> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/login-completion.js"),
);
