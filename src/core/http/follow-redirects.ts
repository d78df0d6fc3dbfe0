import { RequestError } from "./request-error.js";
import { mayName, parseTrustworthyUrl } from "./url.js";

/** As many as a browser follows. */
const MAX_REDIRECTS = 20;

/** A browser follows no redirect of a page from https to http; elsewhere each is checked before it is followed. */
export async function followSafely(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  if (init.redirect !== "follow" || "location" in globalThis) return fetch(url, init);
  for (let hops = 0, from = url; ; hops += 1) {
    const response = await fetch(from, { ...init, redirect: "manual" });
    const target = isRedirect(response) ? response.headers.get("Location") : null;
    if (target === null) return response;
    const to = URL.canParse(target, from) ? new URL(target, from).href : "";
    if (hops === MAX_REDIRECTS || !parseTrustworthyUrl(to) || !mayName(from, to)) {
      throw new RequestError("unexpected_redirect", `${new URL(url).origin} redirects elsewhere`);
    }
    from = to;
  }
}

export const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400;
