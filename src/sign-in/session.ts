// Pages can load it separately: `dist/cdn/session.js`. `<oidc-callback persist>` and
// `<matrix-login>` load it before they use a code, a token or a password.
import * as indexedDbModule from "../core/session/indexed-db.js";
import { indexedDb } from "../core/session/store.js";
import { tabLock } from "../core/session/stored-record.js";
import * as tabLockModule from "../core/session/tab-lock.js";

// Load this early: after a code was exchanged, the sign-in is lost if its tokens can't be stored.
indexedDb.provide(indexedDbModule);
tabLock.provide(tabLockModule);

export { HomeserverClient } from "../core/matrix/client.js";
export { MatrixError } from "../core/matrix/error.js";
export { RequestError } from "../core/http/errors.js";
export { OidcFlowError } from "../core/oauth/flow-error.js";
export { LegacySession } from "../core/session/legacy.js";
export { OidcSession } from "../core/session/oauth.js";
export { hasSession, listSessions, restoreSession } from "../core/session/restore.js";

// For the elements
export { identifyUser, keepLegacyLogin, keepLogin } from "./stored-login.js";
