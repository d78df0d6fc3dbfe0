/** Anybody can send a user to a page, with as long a URL as a browser takes: no response is longer. */
const MAX_URL_LENGTH = 1 << 15;

/** Parses a URL that may contain a response to a login; undefined if it cannot. */
export function parseResponseUrl(url: string): URL | undefined {
  const mayBe = url.length <= MAX_URL_LENGTH && URL.canParse(url);
  return mayBe ? new URL(url) : undefined;
}

/** The URL without some parameters; everything else in it stays unchanged. */
export function withoutParameters(
  url: string,
  part: "search" | "hash",
  names: readonly string[],
): string {
  const parsed = new URL(url);
  const isOther = (pair: string): boolean => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !names.includes(name);
  };
  parsed[part] = parsed[part].slice(1).split("&").filter(isOther).join("&");
  return parsed.href;
}
