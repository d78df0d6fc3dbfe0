import { readFileSync } from "node:fs";

const page = readFileSync("docs/guides/content-security-policy.md", "utf8");

/** A policy's title in docs/guides/content-security-policy.md. */
export type Policy = "script tag" | "defaults" | "frame" | "import map" | "two copies" | "nonces";

/** The servers that replace those in docs/guides/content-security-policy.md. */
interface Origins {
  readonly homeserver: string;
  readonly issuer: string;
}

/** The import map's nonce. Only a test may use the same nonce for every response. */
export const NONCE = "bm9uY2U";

/** A policy of docs/guides/content-security-policy.md for these servers. */
export function policyOf(title: Policy, { homeserver, issuer }: Origins): string {
  const [, policy] = new RegExp(`\`\`\`text\n# ${title}\n([^\`]+)\`\`\``).exec(page) ?? [];
  if (policy === undefined)
    throw new Error(`docs/guides/content-security-policy.md has no policy "${title}"`);
  return policy
    .trim()
    .replace(/\n/g, " ")
    .replaceAll("https://example.org", homeserver)
    .replaceAll("https://matrix.example.org", homeserver)
    .replaceAll("https://auth.example.org", issuer)
    .replaceAll("{nonce}", NONCE);
}
