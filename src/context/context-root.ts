import { ContextRoot } from "@lit/context";

const ROOT = Symbol.for("matrix-auth-elements/context-root");

/**
 * Answers requests for a context that come before its provider is there: a dialog provides its session once
 * its code is loaded. Two copies of the library need only one.
 */
export function attachContextRoot(): void {
  if (typeof document === "undefined" || ROOT in document) return;
  Object.assign(document, { [ROOT]: true });
  new ContextRoot().attach(document.documentElement);
}
