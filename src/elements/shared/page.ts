import { OidcError, OidcErrorCode, OidcFlowError } from "../../core/oidc/errors.js";

/** Resolves when the page's own scripts have run, so that they hear what an element has to say. */
export function pageScriptsDone(): Promise<void> {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    // The second for an element that comes between the two.
    document.addEventListener("DOMContentLoaded", () => resolve(), { once: true });
    window.addEventListener("load", () => resolve(), { once: true });
  });
}

/**
 * An address of this page's own origin, absolute.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) where it is any other.
 */
export function sameOriginUrl(address: string, setting: string): string {
  const url = URL.canParse(address, document.baseURI) && new URL(address, document.baseURI);
  if (!url || url.origin !== location.origin) {
    throw settingsInvalid(`${setting} is no address of this page's origin`);
  }
  return url.href;
}

/** A fault of the page's author: told to the console too, because the person cannot mend it. */
export function settingsInvalid(problem: string): OidcFlowError {
  return new OidcFlowError(
    OidcError.Misconfigured,
    OidcErrorCode.SettingsInvalid,
    new Error(problem),
  );
}

/** Runs when the browser has nothing better to do. @returns How to call it off. */
export function whenIdle(run: () => void): () => void {
  // WebKit has no requestIdleCallback.
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(run, { timeout: 2000 });
    return () => cancelIdleCallback(handle);
  }
  const handle = setTimeout(run, 1);
  return () => clearTimeout(handle);
}
