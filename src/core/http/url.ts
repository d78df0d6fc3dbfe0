import { isText } from "./json.js";

/**
 * A host on which HTTP is allowed. Connections to `0.0.0.0` and `[::]` reach this machine too, but they
 * are not loopback addresses.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export const isLoopbackHost = (hostname: string | undefined): boolean =>
  /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(hostname ?? "");

/** Engines take quadratic time to parse some hosts. */
const MAX_URL_LENGTH = 2048;

export function parseUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/** With these, another parser could read another host, or a user could see another text. */
export const AMBIGUOUS = /[\s\\\p{Cc}\p{Cf}]/u;

/**
 * A scheme, two slashes, and a host without a username or password, even an empty one. `https:name` has the host
 * `name` here. But for `fetch()` and links, it is a path of this page's origin.
 */
const PLAIN_START = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i;

/**
 * A URL for requests, links, and windows: HTTPS, or HTTP on this machine, without a username or
 * password. Every URL from a server passes through this.
 */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  const url = parseUrl(value);
  if (!url || typeof value !== "string") return undefined;
  const isHere = url.protocol === "http:" && isLoopbackHost(url.hostname);
  const isSafe = url.protocol === "https:" || isHere;
  return isSafe && PLAIN_START.test(value) && !AMBIGUOUS.test(value) ? url : undefined;
}

/**
 * The base URL in a text, as browsers read it: without the white space around it, and with the
 * slashes that `https:host` and `https:/host` lack. Also without a repeated `https://`, and without
 * the path of a request. Use it only for base URLs, which are always absolute.
 */
export const asBaseUrl = (text: string): string =>
  text
    .trim()
    .replace(/^(?:https?:\/\/)*(https?):\/*(?=[^/\\])/i, "$1://")
    .replace(REQUEST_PATH, "");

/** The path of a request, such as one from a configuration or a log. */
const REQUEST_PATH = /\/(_matrix|\.well-known)(\/[^]*)?$/;

/** A URL as users and other libraries write it. */
export const withScheme = (url: unknown): unknown =>
  isText(url) && !url.includes(":/") ? `https://${url.trim()}` : url;

/**
 * The base URL of a homeserver, as every setting, stored session, and well-known file is read: with
 * the spellings that browsers accept, and in the form in which base URLs are compared. Undefined if
 * tokens can't be sent there.
 */
export function readBaseUrl(value: unknown): string | undefined {
  const url = parseTrustworthyUrl(isText(value) && withScheme(asBaseUrl(value)));
  return url && withoutTrailingSlashes(url.origin + url.pathname);
}

/** Without a regular expression: engines take quadratic time for one that ends in `+$`. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

export const joinUrl = (base: string, path: string): string =>
  `${withoutTrailingSlashes(base)}/${path}`;
