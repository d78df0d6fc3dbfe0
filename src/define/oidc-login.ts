import { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";

OidcLoginElement.define();

export { OidcLoginElement };

// Makes this entry also declare the events' types.
export type {} from "../events/oidc.js";
