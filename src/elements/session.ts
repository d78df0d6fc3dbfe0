// What a page needs on which somebody is signed in: a file of its own in the bundle for script tags, which
// pages of their own may load too. `<oidc-callback persist>` loads it before it uses the code.
export { HomeserverClient } from "../core/homeserver/homeserver-client.js";
export { MatrixError } from "../core/homeserver/matrix-error.js";
export { RequestError } from "../core/http/index.js";
export { OidcFlowError } from "../core/oidc/errors.js";
export { OidcSession } from "../core/session/oidc-session.js";
