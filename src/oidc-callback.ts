import { OidcCallbackElement } from "./elements/oidc-callback/oidc-callback.js";

OidcCallbackElement.define();

export { OidcCallbackElement };

// So that this entry declares the events too.
export type * from "./events/index.js";
