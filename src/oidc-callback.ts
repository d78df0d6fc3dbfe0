import { OidcCallbackElement } from "./elements/oidc-callback/oidc-callback.js";

OidcCallbackElement.define();

export { OidcCallbackElement };
