import { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
import { captureEarly } from "../sign-in/captured-response.js";

OidcCallbackElement.define();
captureEarly();

export { OidcCallbackElement };

// Makes this entry also declare the events' types.
export type {} from "../events/oidc.js";
export type {} from "../events/matrix-login.js";
