import { settingsInvalid } from "../../../core/oauth/errors.js";
import { asFlowError } from "../flow-error.js";
import { explainError } from "./explain-error.js";

/**
 * Resolves a URL, of any origin, against this page.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function absoluteUrl(given: string, setting: string): string {
  if (!URL.canParse(given, document.baseURI)) {
    throw settingsInvalid(`${setting} is no URL: ${given}`);
  }
  return new URL(given, document.baseURI).href;
}

/** What Matrix Authentication Service does not take in the path of a redirect URI. */
const ODD = /[^a-z\d/.-]/i;

/** Where a provider sends the user back to by default: this page, else the nearest folder that every provider takes. */
export function defaultRedirectUri(): string {
  const { origin, pathname } = location;
  const end = pathname.search(ODD);
  if (end < 0) return origin + pathname;
  const uri = origin + pathname.slice(0, pathname.lastIndexOf("/", end) + 1);
  console.warn(
    `matrix-auth-elements: Some providers do not take ${pathname} as a redirect URI. The login comes back to ${uri}, unless you set redirect-uri`,
  );
  return uri;
}

/**
 * Resolves a URL of this page's own origin.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) if it is of another origin or invalid.
 */
export function sameOriginUrl(given: string, setting: string): string {
  const url = URL.canParse(given, document.baseURI) && new URL(given, document.baseURI);
  // Comparing origins is not enough: a `blob:` URL has its creator's origin, and to a page with an
  // opaque origin every `javascript:` URL would look like its own.
  if (!url || url.origin !== location.origin || url.protocol !== location.protocol) {
    throw settingsInvalid(`${setting} is no URL of this page's origin`);
  }
  return url.href;
}

/** The resolved URL if it is of this page's origin; otherwise undefined, with an explanation for the page's author. */
export function ownUrl(given: string | undefined): string | undefined {
  try {
    return given ? sameOriginUrl(given, "return-to") : undefined;
  } catch (error) {
    explainError(asFlowError(error));
    return undefined;
  }
}

/** What a success event says, with where the page goes next. */
export const goingTo = <Detail extends object>(
  detail: Detail,
  returnTo: string | undefined,
): Detail & { readonly returnTo?: string } =>
  returnTo === undefined ? detail : { ...detail, returnTo };
