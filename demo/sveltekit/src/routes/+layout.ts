import { redirect } from "@sveltejs/kit";
import { isSignedIn } from "../session";
import type { LayoutLoad } from "./$types";

// A server has no session.
export const ssr = false;

export const load: LayoutLoad = ({ route, url }) => {
  if (route.id === "/login" || isSignedIn()) return;
  // The path as in the address bar.
  const returnTo = url.pathname + url.search;
  redirect(307, `/login?${new URLSearchParams({ returnTo })}`);
};
