import { lazyPart } from "../ui/loading.js";

export const loadCompletion = /* @__PURE__ */ lazyPart(() => import("./login-completion.js"));
