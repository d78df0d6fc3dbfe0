import { isSignedIn } from "../session";

export default defineNuxtRouteMiddleware(({ path, fullPath }) => {
  // A server has no session.
  if (import.meta.server || path === "/login" || isSignedIn()) return;
  const { href } = useRouter().resolve(fullPath);
  // The path as in the address bar, with the base path.
  return navigateTo({ path: "/login", query: { returnTo: href } }, { replace: true });
});
