import { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
import { captureEarly } from "../sign-in/captured-response.js";

OidcCallbackElement.define();
captureEarly();

export { OidcCallbackElement };

// So that this entry also declares the events' types.
export type {} from "../events/oidc.js";
export type {} from "../events/matrix-login.js";
