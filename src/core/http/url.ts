export const isLoopbackHost = (hostname: string | undefined): boolean =>
  /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(hostname ?? "");

/**
 * Only a page or a server on this machine may point to a loopback host. Connections to `0.0.0.0` and
 * `[::]` reach this machine, too, but they are not loopback addresses (RFC 8252, section 7.3): HTTP
 * is not allowed there, and no certificate authority issues a certificate for HTTPS.
 */
export function mayPointTo(from: string, to: string): boolean {
  const page = (globalThis as { location?: { hostname: string } }).location?.hostname;
  const isHere = [page, parseUrl(from)?.hostname].some(isLoopbackHost);
  return isHere || !isLoopbackHost(parseUrl(to)?.hostname);
}

/** Engines take quadratic time to parse some hosts. */
const MAX_URL_LENGTH = 2048;

export function parseUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH) return undefined;
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  // `https:name` has the host `name` here. But for `fetch()` and links, it is a path of this page's origin.
  const isPath = /^https?:$/.test(url.protocol) && !/^https?:\/\//i.test(value);
  return isPath ? undefined : url;
}

/** A URL for requests: HTTPS, or HTTP on this machine, without a username or password. */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  const url = parseUrl(value);
  if (!url || url.username || url.password) return undefined;
  const isHere = url.protocol === "http:" && isLoopbackHost(url.hostname);
  // With spaces or backslashes, some parsers would read another host.
  const isSafe = (url.protocol === "https:" || isHere) && !/[\s\\]/.test(String(value));
  return isSafe ? url : undefined;
}

/** A URL from a server, if it is HTTP or HTTPS: a `javascript:` URL would run in this page. */
export function webUrl(value: unknown): string | undefined {
  const { protocol, href } = parseUrl(value) ?? {};
  return protocol === "https:" || protocol === "http:" ? href : undefined;
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
