// What a page needs while a user is signed in. Pages may load it on their own: `dist/cdn/session.js`.
// `<oidc-callback persist>` and `<matrix-login>` load it before they use a code, a token or a password.
export { HomeserverClient } from "../../../core/homeserver/homeserver-client.js";
export { MatrixError } from "../../../core/homeserver/matrix-error.js";
export { RequestError } from "../../../core/http/index.js";
export { OidcFlowError } from "../../../core/oidc/errors.js";
export { LegacySession } from "../../../core/session/legacy-session.js";
export { OidcSession } from "../../../core/session/oidc-session.js";
export { hasSession, listSessions, restoreSession } from "../../../core/session/restore-session.js";
