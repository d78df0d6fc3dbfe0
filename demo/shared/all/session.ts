import { SessionWatcher, hasSession } from "matrix-auth-elements/core";

/** The store of `persist="local"`, which `<oidc-callback>` has. */
export const KEPT = { store: "localStorage" } as const;

/** `current()` returns the signed-in user's session, even after a reload. */
export const sessions = new SessionWatcher(KEPT);

/** Whether the router's guard lets the user in. */
export const isSignedIn = (): boolean => hasSession(KEPT);

export const signOut = async (): Promise<unknown> => (await sessions.current())?.signOut();

/** The router's path for `detail.returnTo`: after the origin or, in a hash router, after `#`. */
export function routeOf(returnTo = "/"): string {
  // An attacker can link to the sign-in page with any `returnTo`.
  if (!URL.canParse(returnTo, location.origin)) return "/";
  const { href, pathname, search, hash } = new URL(returnTo, location.origin);
  const route = hash.startsWith("#/") ? hash.slice(1) : pathname + search + hash;
  // Two slashes would lead to another site. A blob: URL has this origin, too, but no path.
  return href.startsWith(`${location.origin}/`) ? route.replace(/^[/\\]+/, "/") : "/";
}
