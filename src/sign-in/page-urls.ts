import { settingsInvalid } from "../core/oauth/errors.js";
import { asFlowError } from "../core/oauth/flow-error.js";
import { explain } from "../errors/explain-error.js";

/**
 * Resolves against the page's address, never against `document.baseURI`: injected markup could move
 * that to another origin with `<base>`. A page without its own URL, such as a frame's `srcdoc`, has only
 * an origin. Undefined if it is not a URL.
 */
export function onThisPage(given: string): URL | undefined {
  const address = URL.canParse(".", location.href) ? location.href : window.origin;
  return URL.canParse(given, address) ? new URL(given, address) : undefined;
}

/** Returns a URL of any origin. @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
export function absoluteUrl(given: string, setting: string): string {
  const url = onThisPage(given);
  if (!url) throw settingsInvalid(`${setting} is not a URL: ${given}`);
  return url.href;
}

/** The characters that Matrix Authentication Service rejects in the path of a redirect URI. */
const ODD = /[^a-z\d/.-]/i;

/** This page, or the nearest parent folder that every provider accepts. */
export function defaultRedirectUri(): string {
  const { origin, pathname } = location;
  const end = pathname.search(ODD);
  if (end < 0) return origin + pathname;
  const uri = origin + pathname.slice(0, pathname.lastIndexOf("/", end) + 1);
  explain((each) => each.explainRedirectUri(pathname, uri));
  return uri;
}

/**
 * Returns a URL of this page's origin. @throws {OidcFlowError} `Misconfigured`
 * (`settings_invalid`).
 */
export function sameOriginUrl(given: string, setting: string): string {
  const url = onThisPage(given);
  // Comparing origins is not enough: a `blob:` URL has its creator's origin, and on a page with an
  // opaque origin, every `javascript:` URL would seem to have the same origin.
  if (!url || url.origin !== location.origin || url.protocol !== location.protocol) {
    throw settingsInvalid(`${setting} is not a same-origin URL`);
  }
  return url.href;
}

/** Undefined for a URL of another origin, with an explanation for the page's author. */
export function ownUrl(given: string | undefined): string | undefined {
  try {
    return given ? sameOriginUrl(given, "return-to") : undefined;
  } catch (error) {
    explain((each) => each.explainError(asFlowError(error)));
    return undefined;
  }
}

export const goingTo = <Detail extends object>(
  detail: Detail,
  returnTo: string | undefined,
): Detail & { readonly returnTo?: string } =>
  returnTo === undefined ? detail : { ...detail, returnTo };
