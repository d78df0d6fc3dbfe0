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
 * Parses a URL; undefined unless requests may be sent to it. Spaces and backslashes are refused: some
 * parsers read a different host there.
 */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || /[\s\\]/.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return isTrustworthyUrl(url) ? url : undefined;
}

/** `path` below `base`, which may have a path of its own, with or without a trailing slash. */
export function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, "")}/${path}`;
}
