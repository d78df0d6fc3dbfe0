/** Whether a host name always means this very machine. */
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
 * The parsed address, or undefined where it is none that requests may go to. Nor may one with spaces or
 * backslashes in it: other readers than browsers see another host there.
 */
export function parseTrustworthyUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || /[\s\\]/.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return isTrustworthyUrl(url) ? url : undefined;
}

/** `path` below `base`, which may itself have a path, with or without a slash at its end. */
export function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/+$/, "")}/${path}`;
}
