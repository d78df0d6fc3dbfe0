import { MatrixAccountElement } from "../elements/matrix-account/matrix-account.js";
import { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
import { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
import { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
import { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
import { captureEarly } from "../sign-in/captured-response.js";

/** Registers every element of the library under its own name. */
export function define(registry?: CustomElementRegistry): void {
  // The dialog registers `<uia-fallback-frame>`.
  for (const element of [
    OidcLoginElement,
    OidcCallbackElement,
    UiaDialogElement,
    MatrixLoginElement,
    MatrixAccountElement,
  ]) {
    element.define(element.tag, registry);
  }
}

define();
captureEarly();

// Makes this entry also declare the types of the elements and events.
export type {} from "../index.js";
