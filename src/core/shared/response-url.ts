/** A router with paths in the fragment makes `#code=` into `#/code=`. */
const parse = (url: string): URL => new URL(url.replace(/#[!?/]+(?=\w+=)/, "#"));

/** No response to a sign-in is longer. Other sites can link to the page with a longer URL. */
export const parseResponseUrl = (url: string): URL | undefined =>
  url.length <= 1 << 15 && URL.canParse(url) ? parse(url) : undefined;

type UrlPart = "search" | "hash";

/** Everything else in the URL stays unchanged. */
export function withoutParameters(url: string, part: UrlPart, names: readonly string[]): string {
  const parsed = parse(url);
  const isOther = (pair: string) => {
    const [name] = new URLSearchParams(pair).keys();
    return name === undefined || !names.includes(name);
  };
  parsed[part] = parsed[part].slice(1).split("&").filter(isOther).join("&");
  return parsed.href;
}
