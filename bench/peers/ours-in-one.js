// This library's elements and a session in one file.
import "matrix-auth-elements/define";
export { OidcSession, restoreSession } from "matrix-auth-elements/core";
