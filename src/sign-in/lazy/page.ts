import type { ReactiveController } from "lit";
import { asFlowError, settingsInvalid } from "../../core/oauth/errors.js";
import { FLOWS } from "../../core/oauth/flow-store.js";
import { readAuthorizationResponse } from "../../core/oauth/response.js";
import { peekRecord } from "../../core/shared/tab-records.js";
import type { AuthHost } from "../../ui/element.js";
import { pageResponse } from "../captured-response.js";
import { explain, explainError } from "../../errors/lazy/explain-error.js";

/**
 * Resolves against the page's address, never against `document.baseURI`: injected markup could move
 * that to another origin with `<base>`. A page without its own URL, such as a frame's `srcdoc`, has only
 * an origin. Undefined if it is not a URL.
 */
export function onThisPage(given: string): URL | undefined {
  const address = URL.canParse(".", location.href) ? location.href : window.origin;
  return URL.canParse(given, address) ? new URL(given, address) : undefined;
}

/** A URL of any origin. @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
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
  explain(
    `Some providers reject ${pathname} as a redirect URI. The sign-in returns to ${uri}, unless you set redirect-uri`,
  );
  return uri;
}

/** The time in which an element on the page starts to complete the response. */
export const COMPLETION_MS = 10_000;

/** Explains to the page's author why a sign-in has no outcome. */
export function explainLostResponse(): void {
  const response = pageResponse();
  if (response) {
    setTimeout(() => {
      if (response.completion) return;
      explain(
        "The page has the provider's response, but no <oidc-callback> or <matrix-login> to complete the sign-in. Add one outside of the routes, with the session-key, store, and user-id of the element that started it. See matrix-auth-elements/docs/guides/protect-routes.md",
      );
    }, COMPLETION_MS);
    return;
  }
  const [loaded] = performance.getEntriesByType("navigation");
  const state = loaded && readAuthorizationResponse(loaded.name)?.state;
  // Only sign-ins of an element have a `startUrl`.
  if (state === undefined || !peekRecord(FLOWS, state)?.includes("startUrl")) return;
  explain(
    "The page's URL no longer has the provider's response. Import the elements before the router. See matrix-auth-elements/docs/guides/protect-routes.md",
  );
}

/** A URL of this page's origin. @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
export function sameOriginUrl(given: string, setting: string): string {
  const url = onThisPage(given);
  // Comparing origins is not enough: a `blob:` URL has its creator's origin, and to a page with an
  // opaque origin every `javascript:` URL would look like its own.
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
    explainError(asFlowError(error));
    return undefined;
  }
}

export const goingTo = <Detail extends object>(
  detail: Detail,
  returnTo: string | undefined,
): Detail & { readonly returnTo?: string } =>
  returnTo === undefined ? detail : { ...detail, returnTo };

/** After this time, the user has stopped the navigation, or the page navigates itself. */
const LEAVE_TIMEOUT_MS = 10_000;

/** Notices that a page that was about to be left is still here, or here again after "back". */
export class PageLeave implements ReactiveController {
  readonly #stayed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: AuthHost, stayed: () => void) {
    this.#stayed = stayed;
    host.addController(this);
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => this.#stayed(), LEAVE_TIMEOUT_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  hostConnected(): void {
    window.addEventListener("pageshow", this.#onPageShow);
  }

  hostDisconnected(): void {
    window.removeEventListener("pageshow", this.#onPageShow);
  }

  /** The browser can restore a page in its busy state. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) this.#stayed();
  };
}
