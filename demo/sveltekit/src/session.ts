import { hasSession, restoreSession, type MatrixSession } from "matrix-auth-elements/core";

/** Where the session is kept: in this tab, as `persist="session"` of `<oidc-callback>` says too. */
export const KEPT = { store: "sessionStorage" } as const;

/** For the router's guard. */
export const isSignedIn = (): boolean => hasSession(KEPT);

let opening: Promise<MatrixSession | undefined> | undefined;
let leave = (): void => undefined;

/** The session of whoever is signed in, also after a reload. */
export function currentSession(): Promise<MatrixSession | undefined> {
  opening ??= restoreSession(KEPT).then((session) => session && enter(session));
  return opening;
}

/** After signing in. */
export function enter(session: MatrixSession): MatrixSession {
  opening = Promise.resolve(session);
  session.addEventListener("session-ended", () => {
    opening = undefined;
    // Unless it ended because somebody has signed in anew.
    if (!isSignedIn()) leave();
  });
  return session;
}

/** What the router does when the session has ended: by `signOut()`, in another tab, or refused by the server. */
export function whenSignedOut(goToLogin: () => void): void {
  leave = goToLogin;
}

export const signOut = async (): Promise<unknown> => (await currentSession())?.signOut();

/** The router's path for `detail.returnTo`: what follows the origin or, with a hash router, the `#`. */
export function routeOf(returnTo = "/"): string {
  const { pathname, search, hash } = new URL(returnTo, location.origin);
  return hash.startsWith("#/") ? hash.slice(1) : pathname + search + hash;
}
