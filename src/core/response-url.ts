/** Anybody can send a user to a page, with as long a URL as a browser takes: no response is longer. */
const MAX_URL_LENGTH = 1 << 15;

/** Parses a URL that may contain a response to a login; undefined if it cannot. */
export function parseResponseUrl(address: string): URL | undefined {
  const mayBe = address.length <= MAX_URL_LENGTH && URL.canParse(address);
  return mayBe ? new URL(address) : undefined;
}

/** The URL without some parameters; everything else in it stays unchanged. */
export function withoutParameters(
  address: string,
  part: "search" | "hash",
  names: readonly string[],
): string {
  const url = new URL(address);
  const isOther = (pair: string): boolean => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !names.includes(name);
  };
  url[part] = url[part].slice(1).split("&").filter(isOther).join("&");
  return url.href;
}
