/** No response to a sign-in is longer. Other sites can link to the page with a longer URL. */
export const parseResponseUrl = (url: string): URL | undefined =>
  url.length <= 1 << 15 && URL.canParse(url) ? new URL(url) : undefined;

type UrlPart = "search" | "hash";

/** A router with paths in the fragment makes `#code=` into `#/code=`. */
export const parametersIn = (part: string): URLSearchParams =>
  new URLSearchParams(part.replace(/^[#?!/]+/, ""));

/** Everything else in the URL stays unchanged. */
export function withoutParameters(url: string, part: UrlPart, names: readonly string[]): string {
  const parsed = new URL(url);
  const isOther = (pair: string) => {
    const [name] = parametersIn(pair).keys();
    return name === undefined || !names.includes(name);
  };
  parsed[part] = parsed[part].slice(1).split("&").filter(isOther).join("&");
  return parsed.href;
}
