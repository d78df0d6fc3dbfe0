import { OidcFlowError } from "../../core/oidc/errors.js";

/** A fault of the page's author. */
export function settingsInvalid(problem: string): OidcFlowError {
  return new OidcFlowError("OIDC is misconfigured", "settings_invalid", new Error(problem));
}

/**
 * An address of this page's own origin, absolute.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) where it is any other.
 */
export function sameOriginUrl(address: string, setting: string): string {
  const url = URL.canParse(address, document.baseURI) && new URL(address, document.baseURI);
  // The origin alone says too little: a `blob:` address has that of its maker, and to a page with an
  // opaque origin every `javascript:` address would seem its own.
  if (!url || url.origin !== location.origin || url.protocol !== location.protocol) {
    throw settingsInvalid(`${setting} is no address of this page's origin`);
  }
  return url.href;
}

/** An address of this page's origin; undefined, with a warning, where it is any other. */
export function ownAddress(address: string | undefined): string | undefined {
  try {
    return address ? sameOriginUrl(address, "return-to") : undefined;
  } catch (error) {
    console.warn("matrix-auth-elements:", error);
    return undefined;
  }
}
