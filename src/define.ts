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

// So that this entry declares the elements and the events too.
export type * from "./index.js";
