// What the elements' files in dist/cdn/ have in place of core/http/follow-redirects.js: on a page, the browser follows.
export { isRedirect } from "../dist/core/http/follow-redirects.js";

/** @type {typeof import("../dist/core/http/follow-redirects.js").followSafely} */
export const followSafely = (fetch, url, init) => fetch(url, init);
