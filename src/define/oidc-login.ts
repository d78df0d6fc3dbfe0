import { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";

OidcLoginElement.define();

export { OidcLoginElement };

// So that this entry also declares the events' types.
export type {} from "../events/oidc.js";
