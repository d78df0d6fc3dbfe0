import { ContextRoot } from "@lit/context";

const ROOT = Symbol.for("matrix-auth-elements/context-root");

/**
 * Lets who asks for a context before its provider is there be answered then: a dialog provides its session
 * once its code is loaded. Two copies of the library need only one.
 */
export function attachContextRoot(): void {
  if (typeof document === "undefined" || ROOT in document) return;
  Object.assign(document, { [ROOT]: true });
  new ContextRoot().attach(document.documentElement);
}
