import { ContextRoot } from "@lit/context";
import { OidcCallbackElement } from "./elements/oidc-callback/oidc-callback.js";
import { OidcLoginElement } from "./elements/oidc-login/oidc-login.js";
import { UiaDialogElement } from "./elements/uia-dialog/uia-dialog.js";

/** Registers every element of the library under its own name. */
export function define(registry?: CustomElementRegistry): void {
  // The dialog brings the frame.
  for (const element of [OidcLoginElement, OidcCallbackElement, UiaDialogElement]) {
    element.define(element.tag, registry);
  }
}

define();

// An element may ask for a context before its provider is defined: the root asks again then. Two
// copies of the library need but one.
const ROOT = Symbol.for("matrix-auth-elements/context-root");
if (typeof document !== "undefined" && !(ROOT in document)) {
  Object.assign(document, { [ROOT]: true });
  new ContextRoot().attach(document.documentElement);
}

// So that this entry declares the elements and the events too.
export type * from "./index.js";
