import { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";

OidcCallbackElement.define();

export { OidcCallbackElement };

// So that this entry also declares the events' types.
export type * from "../events/index.js";
