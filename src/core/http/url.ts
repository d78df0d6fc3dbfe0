/**
 * A host on which HTTP is allowed. Connections to `0.0.0.0` and `[::]` reach this machine too, but they
 * are not loopback addresses.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export const isLoopbackHost = (hostname: string | undefined): boolean =>
  /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(hostname ?? "");

/** Names of this machine in the host files of common systems. */
const OWN_NAMES = /^(localhost[46]?\.localdomain[46]?|localhost[46]|ip6-(localhost|loopback))\.?$/;

/** `0.0.0.0`, and both addresses within IPv6: mapped, translated, compatible, or behind NAT64. */
const OWN_ADDRESSES =
  /^(0\.\d+\.\d+\.\d+|\[(::(ffff:(0:)?)?|64:ff9b::)((7f[\da-f]{2}|0):[\da-f]{1,4})?\])$/;

/**
 * Whether a connection reaches this machine, in the spelling of a parsed URL, which has no decimal or
 * short addresses anymore. A public name that resolves to this machine looks like any other.
 */
const isThisMachine = (hostname = ""): boolean =>
  isLoopbackHost(hostname) || OWN_NAMES.test(hostname) || OWN_ADDRESSES.test(hostname);

/** Only a page or a server on this machine may point to this machine. */
export function mayPointTo(from: string, to: string): boolean {
  const page = (globalThis as { location?: { hostname: string } }).location?.hostname;
  const isHere = [page, parseUrl(from)?.hostname].some(isThisMachine);
  return isHere || !isThisMachine(parseUrl(to)?.hostname);
}

/** Engines take quadratic time to parse some hosts. */
const MAX_URL_LENGTH = 2048;

export function parseUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/** Another parser would read another host, or a reader would see another text. */
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cf}]/u;

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

/** The target of a redirect, which may be relative. @returns Undefined if it must not be followed. */
export function redirectTarget(location: string, from: string): string | undefined {
  if (AMBIGUOUS.test(location) || !URL.canParse(location, from)) return undefined;
  const to = new URL(location, from).href;
  return parseTrustworthyUrl(to) && mayPointTo(from, to) ? to : undefined;
}

/** Without a regular expression: engines take quadratic time for one that ends in `+$`. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

export const joinUrl = (base: string, path: string): string =>
  `${withoutTrailingSlashes(base)}/${path}`;

/** No response to a sign-in is longer, but anyone can link to the page with a longer URL. */
export const parseResponseUrl = (url: string): URL | undefined =>
  url.length <= 1 << 15 && URL.canParse(url) ? new URL(url) : undefined;

type UrlPart = "search" | "hash";

/** Everything else in the URL stays unchanged. */
export function withoutParameters(url: string, part: UrlPart, names: readonly string[]): string {
  const parsed = new URL(url);
  const isOther = (pair: string) => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !names.includes(name);
  };
  parsed[part] = parsed[part].slice(1).split("&").filter(isOther).join("&");
  return parsed.href;
}
