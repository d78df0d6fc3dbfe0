import { OidcLoginElement } from "./elements/oidc-login/oidc-login.js";

OidcLoginElement.define();

export { OidcLoginElement };
