import { readFileSync } from "node:fs";

const page = readFileSync("docs/guides/content-security-policy.md", "utf8");

/** A policy's title in docs/guides/content-security-policy.md. */
export type Policy =
  | "script tag"
  | "defaults"
  | "frame"
  | "import map"
  | "hashes"
  | "two copies"
  | "nonces"
  | "captcha"
  | "widget";

/** All titles, in the order of the page. */
export const TITLES: readonly string[] = [...page.matchAll(/```text\n# (.+)\n/g)].map(
  ([, title = ""]) => title,
);

/** The servers that replace those in docs/guides/content-security-policy.md. */
interface Origins {
  readonly homeserver: string;
  readonly issuer: string;
  /** The site that frames the page. */
  readonly site?: string | undefined;
  /** The captcha's origin. */
  readonly captcha?: string | undefined;
}

/** The source for the import map of dist/cdn/integrity.html. */
export function mapSource(): string {
  const sources = JSON.parse(readFileSync("dist/cdn/integrity.csp.json", "utf8")) as {
    readonly "integrity.html": string;
  };
  return sources["integrity.html"];
}

/** The import map's nonce. Only a test may use the same nonce for every response. */
export const NONCE = "bm9uY2U";

/** A policy of docs/guides/content-security-policy.md for these servers. */
export function policyOf(
  title: Policy,
  { homeserver, issuer, site = "'none'", captcha = "'none'" }: Origins,
): string {
  const [, policy] = new RegExp(`\`\`\`text\n# ${title}\n([^\`]+)\`\`\``).exec(page) ?? [];
  if (policy === undefined)
    throw new Error(`docs/guides/content-security-policy.md has no policy "${title}"`);
  return policy
    .trim()
    .replace(/\n/g, " ")
    .replaceAll("https://example.org", homeserver)
    .replaceAll("https://matrix.example.org", homeserver)
    .replaceAll("https://auth.example.org", issuer)
    .replaceAll("https://blog.example", site)
    .replaceAll("https://www.google.com/recaptcha/", captcha)
    .replaceAll("{nonce}", NONCE)
    .replaceAll("{map}", mapSource);
}
