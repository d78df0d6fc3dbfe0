/** No response is longer, but anyone can link to the page with a longer URL. */
const MAX_RESPONSE_LENGTH = 1 << 15;

/** Undefined if the URL cannot contain a response to a sign-in. */
export function parseResponseUrl(url: string): URL | undefined {
  const mayBe = url.length <= MAX_RESPONSE_LENGTH && URL.canParse(url);
  return mayBe ? new URL(url) : undefined;
}

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
