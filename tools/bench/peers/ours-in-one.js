// This library's four elements that the goal names, and a session, in one file.
import "matrix-auth-elements/oidc-login";
import "matrix-auth-elements/oidc-callback";
import "matrix-auth-elements/uia-dialog";
import "matrix-auth-elements/uia-fallback-frame";
export { OidcSession, restoreSession } from "matrix-auth-elements/core";
