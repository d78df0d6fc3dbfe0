import { SessionWatcher, hasSession } from "matrix-auth-elements/core";

/** The session's store: this tab's, like `persist="session"` of `<oidc-callback>`. */
export const KEPT = { store: "sessionStorage" } as const;

/** Its `current()` is the session of the signed-in user, even after a reload. */
export const sessions = new SessionWatcher(KEPT);

/** For the router's guard. */
export const isSignedIn = (): boolean => hasSession(KEPT);

export const signOut = async (): Promise<unknown> => (await sessions.current())?.signOut();

/** The router's path for `detail.returnTo`: what follows the origin or, with a hash router, the `#`. */
export function routeOf(returnTo = "/"): string {
  // Anybody can make a link to the page for signing in, with anything as its `returnTo`.
  if (!URL.canParse(returnTo, location.origin)) return "/";
  const { origin, pathname, search, hash } = new URL(returnTo, location.origin);
  const route = hash.startsWith("#/") ? hash.slice(1) : pathname + search + hash;
  // Two slashes would lead to another site.
  return origin === location.origin ? route.replace(/^[/\\]+/, "/") : "/";
}
