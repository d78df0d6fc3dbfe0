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
 * Whether a server may name another one: a loopback host is this machine, which only a page or a server on this
 * machine can mean.
 */
export function mayName(from: string, to: string): boolean {
  const page = (globalThis as { location?: { hostname: string } }).location?.hostname ?? "";
  const isHere = [page, parseUrl(from)?.hostname ?? ""].some(isLoopbackHost);
  return isHere || !isLoopbackHost(parseUrl(to)?.hostname ?? "");
}

/** More than any server needs; engines take quadratic time to parse some hosts. */
const MAX_URL_LENGTH = 2048;

/** Parses what should be a URL; undefined if it is none, or a very long one. */
export function parseUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_LENGTH) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/**
 * Parses a URL; undefined unless requests may be sent to it. Spaces and backslashes are refused: some
 * parsers read a different host there.
 */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  const url = parseUrl(value);
  return url && isTrustworthyUrl(url) && !/[\s\\]/.test(String(value)) ? url : undefined;
}

/** The URL if it is http(s): a server may send anything, and `javascript:` would run in this page. */
export function webUrl(value: unknown): string | undefined {
  const { protocol, href } = parseUrl(value) ?? {};
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

/** Not by a regular expression: engines take quadratic time for one that ends in `+$`. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** `path` below `base`, which may have a path of its own, with or without a trailing slash. */
export function joinUrl(base: string, path: string): string {
  return `${withoutTrailingSlashes(base)}/${path}`;
}
