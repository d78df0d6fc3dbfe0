import { ownUrl } from "../../shared/lazy/page-urls.js";
import { isOnPage } from "../../shared/localize.js";

/**
 * Where a user goes on from a callback: to the page where the login began, else to `return-to`, else to this page's
 * folder. Undefined if that is this page, or if one can sign in here.
 */
export function wayOn(
  startUrl: string | undefined,
  returnTo: string | undefined,
): string | undefined {
  if (["oidc-login", "matrix-login"].some(isOnPage)) return undefined;
  // A page without a URL of its own, such as a frame's `srcdoc`, is not in a folder.
  const base = URL.canParse(".", location.href) ? location.href : document.baseURI;
  const urls = [ownUrl(startUrl), ownUrl(returnTo), new URL(".", base).href];
  const here = withoutRoot(location.href);
  return urls.find((url) => url !== undefined && withoutRoot(url) !== here);
}

/** Without the route that routers show for no route. */
const withoutRoot = (url: string): string => url.replace(/#\/?$/, "");
