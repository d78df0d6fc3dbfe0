import { OidcFlowError } from "../../../core/oidc/errors.js";

/** The error for a mistake of the page's author. */
export function settingsInvalid(problem: string): OidcFlowError {
  return new OidcFlowError("OIDC is misconfigured", "settings_invalid", new Error(problem));
}

/**
 * Resolves a URL of this page's own origin.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) if it is of another origin or invalid.
 */
export function sameOriginUrl(address: string, setting: string): string {
  const url = URL.canParse(address, document.baseURI) && new URL(address, document.baseURI);
  // Comparing origins is not enough: a `blob:` URL has its creator's origin, and to a page with an
  // opaque origin every `javascript:` URL would look like its own.
  if (!url || url.origin !== location.origin || url.protocol !== location.protocol) {
    throw settingsInvalid(`${setting} is no address of this page's origin`);
  }
  return url.href;
}

/** The resolved URL if it is of this page's origin; otherwise undefined, with a warning. */
export function ownAddress(address: string | undefined): string | undefined {
  try {
    return address ? sameOriginUrl(address, "return-to") : undefined;
  } catch (error) {
    console.warn("matrix-auth-elements:", error);
    return undefined;
  }
}
