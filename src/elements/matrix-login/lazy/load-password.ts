import { lazyPart } from "../../../ui/lazy.js";

/** What signs in without a provider. It is loaded once the user types. */
export const loadPassword = /* @__PURE__ */ lazyPart(() => import("./password.js"));
