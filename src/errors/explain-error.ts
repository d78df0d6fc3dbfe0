import { lazyPart } from "../ui/loading.js";
import type * as Explanations from "./explanations.js";

const loadExplanations = /* @__PURE__ */ lazyPart(() => import("./explanations.js"));

/** Explains something to the developer, on the console. Most pages never need that. */
export const explain = (write: (explanations: typeof Explanations) => void): void =>
  void loadExplanations().then(write, () => undefined);
