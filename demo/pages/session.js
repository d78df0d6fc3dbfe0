/**
 * What the demo keeps of a login, in this tab. Whoever can run a script on the page can read it: a
 * real client weighs that.
 */
const SESSION = "lantern:session";
const NOTICE = "lantern:notice";

export function keepSession({
  homeserverUrl,
  deviceId,
  scope,
  tokenResponse,
  oidcClientSettings,
  idTokenClaims,
}) {
  const session = {
    homeserverUrl,
    deviceId,
    scope,
    tokenResponse,
    oidcClientSettings,
    idTokenClaims,
  };
  sessionStorage.setItem(SESSION, JSON.stringify(session));
}

export function readSession() {
  return JSON.parse(sessionStorage.getItem(SESSION) ?? "null");
}

/** Forgets the session; the next page tells the person why. */
export function forgetSession(notice) {
  sessionStorage.removeItem(SESSION);
  sessionStorage.setItem(NOTICE, notice);
}

export function takeNotice() {
  const notice = sessionStorage.getItem(NOTICE);
  sessionStorage.removeItem(NOTICE);
  return notice;
}
