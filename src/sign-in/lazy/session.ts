// Pages may load it on their own: `dist/cdn/session.js`. `<oidc-callback persist>` and
// `<matrix-login>` load it before they use a code, a token or a password.
export { HomeserverClient } from "../../core/matrix/client.js";
export { MatrixError } from "../../core/matrix/error.js";
export { RequestError } from "../../core/http/errors.js";
export { OidcFlowError } from "../../core/oauth/errors.js";
export { LegacySession } from "../../core/session/legacy.js";
export { OidcSession } from "../../core/session/oauth.js";
export { hasSession, listSessions, restoreSession } from "../../core/session/restore.js";
