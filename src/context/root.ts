import { ContextRoot } from "@lit/context";

const ROOT = Symbol.for("matrix-auth-elements/context-root");

/**
 * Lets elements request a context before its provider exists: a dialog provides its session only once its
 * code is loaded. Several copies of the library share one root.
 */
export function attachContextRoot(): void {
  if (typeof document === "undefined" || ROOT in document) return;
  Object.assign(document, { [ROOT]: true });
  new ContextRoot().attach(document.documentElement);
}
