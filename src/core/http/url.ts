/** Whether a host name always means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Whether requests may go to `url`: https, or http on this machine; no user name or password. */
export function isTrustworthyUrl(url: URL): boolean {
  return (
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))) &&
    !url.username &&
    !url.password
  );
}

/**
 * Whether a server may point to a URL. Only a page or a server on this machine may point to a loopback host.
 */
export function mayPointTo(from: string, to: string): boolean {
  const page = (globalThis as { location?: { hostname: string } }).location?.hostname ?? "";
  const isHere = [page, parseUrl(from)?.hostname ?? ""].some(isLoopbackHost);
  return isHere || !isLoopbackHost(parseUrl(to)?.hostname ?? "");
}

/** Engines take quadratic time to parse some hosts. */
const MAX_URL_LENGTH = 2048;

/** Parses a URL; undefined if the value is not a URL, or is very long. */
export function parseUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/**
 * Parses a URL to which requests may be sent; else undefined. With spaces or backslashes, some parsers would read
 * another host.
 */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  const url = parseUrl(value);
  return url && isTrustworthyUrl(url) && !/[\s\\]/.test(String(value)) ? url : undefined;
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

/** The URL of `path` below `base`, which may end with a slash. */
export function joinUrl(base: string, path: string): string {
  return `${withoutTrailingSlashes(base)}/${path}`;
}
