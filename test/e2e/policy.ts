import { readFileSync } from "node:fs";

const page = readFileSync("docs/csp.md", "utf8");

/** What stands for what in docs/csp.md. */
export interface Origins {
  readonly homeserver: string;
  readonly issuer: string;
}

/** For the import map: a nonce that is the same for every response is acceptable only in a test. */
export const NONCE = "bm9uY2U";

/** A policy of docs/csp.md, by its title, for these servers. */
export function policyOf(title: string, { homeserver, issuer }: Origins): string {
  const [, policy] = new RegExp(`\`\`\`text\n# ${title}\n([^\`]+)\`\`\``).exec(page) ?? [];
  if (policy === undefined) throw new Error(`docs/csp.md has no policy "${title}"`);
  return policy
    .trim()
    .replace(/\n/g, " ")
    .replaceAll("https://example.org", homeserver)
    .replaceAll("https://matrix.example.org", homeserver)
    .replaceAll("https://auth.example.org", issuer)
    .replaceAll("{nonce}", NONCE);
}
