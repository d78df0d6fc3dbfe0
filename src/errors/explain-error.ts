import { lazyPart } from "../ui/loading.js";
import type * as Explanations from "./explanations.js";

const loadExplanations = /* @__PURE__ */ lazyPart(() => import("./explanations.js"));

/** Logs an explanation for the developer. Most pages never need it. */
export const explain = (write: (explanations: typeof Explanations) => void): void =>
  void loadExplanations().then(write, () => undefined);
