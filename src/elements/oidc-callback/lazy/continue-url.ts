import { withoutResponse } from "../../shared/captured-response.js";
import { ownUrl } from "../../shared/lazy/page-urls.js";
import { isOnPage } from "../../shared/localize.js";

/**
 * The URL where a user continues from a callback: the page where the login began, else `return-to`, else this page's
 * folder. Undefined if that is this page, or if one can sign in here.
 */
export function continueUrl(
  startUrl: string | undefined,
  returnTo: string | undefined,
): string | undefined {
  if (["oidc-login", "matrix-login"].some(isOnPage)) return undefined;
  // A page without a URL of its own, such as a frame's `srcdoc`, is not in a folder.
  const base = URL.canParse(".", location.href) ? location.href : document.baseURI;
  const urls = [ownUrl(startUrl), ownUrl(returnTo), new URL(".", base).href];
  const here = pageOf(location.href);
  return urls.find((url) => url !== undefined && pageOf(url) !== here);
}

/** Without a response, which stays in the URL if its login is unknown, and without the empty route of a router. */
const pageOf = (url: string): string => withoutResponse(url).replace(/#\/?$/, "");
