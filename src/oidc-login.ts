import { OidcLoginElement } from "./elements/oidc-login/oidc-login.js";

OidcLoginElement.define();

export { OidcLoginElement };

// So that this entry declares the events too.
export type * from "./events/index.js";
