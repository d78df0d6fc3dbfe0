import { RequestError } from "./errors.js";
import { isRedirect, leaveBody } from "./fetch.js";
import { redirectTarget } from "./this-machine.js";

/** The limit of browsers: https://fetch.spec.whatwg.org/#http-redirect-fetch */
const MAX_REDIRECTS = 20;

/**
 * On pages, browsers block redirects from HTTPS to HTTP. Elsewhere, each redirect is checked: Node has no
 * `location`, and Deno's has no value. The files for script tags have only the part for pages.
 *
 * @throws {RequestError} `unexpected_redirect`
 */
export async function followSafely(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const { location } = globalThis as { location?: object };
  if (init.redirect !== "follow" || location) return fetch(url, init);
  for (let hops = 0, from = url; ; hops += 1) {
    const response = await fetch(from, { ...init, redirect: "manual" });
    const target = isRedirect(response) ? response.headers.get("Location") : null;
    if (target === null) return response;
    leaveBody(response);
    const to = redirectTarget(target, from);
    if (hops === MAX_REDIRECTS || to === undefined) {
      throw new RequestError("unexpected_redirect", `${new URL(url).origin} redirects elsewhere`);
    }
    from = to;
  }
}
