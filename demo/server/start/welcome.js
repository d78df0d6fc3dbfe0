// @ts-check
import { DEMO_ACCOUNTS } from "../accounts.js";

/**
 * The text that `npm start` prints.
 *
 * @param {import("./demo.js").Demo} demo
 * @returns {string}
 */
export function welcome({ address, homeserver, passwordHomeserver, own, clientUri, notes }) {
  const lines = ["", `  Open ${address}`, ""];

  if (own) {
    lines.push(
      `  The homeserver is ${homeserver}. It loses all data when it stops. Its`,
      "  provider accepts the same registrations as real ones, plus these http:// pages.",
    );
    lines.push("  Sign in as:");
    for (const { localpart, password } of DEMO_ACCOUNTS) {
      lines.push(`    ${localpart.padEnd(8)}${password}`);
    }
  } else {
    lines.push(`  The pages sign in to ${homeserver}, with an account that you have there.`);
    if (clientUri === undefined) {
      lines.push(
        "  Matrix Authentication Service rejects an app whose home page is on",
        "  localhost. If this server does, start again with --client-uri https://your.site",
      );
    }
  }

  lines.push(
    "",
    `  To try re-authentication (UIA), open ${address}/password.html`,
    own
      ? `  Its homeserver, ${passwordHomeserver}, has the same accounts, with passwords and single sign-on.`
      : `  Its homeserver, ${passwordHomeserver}, has the demo's accounts, with passwords.`,
  );

  if (notes.length > 0) lines.push("", ...notes.map((note) => `  ${note}`));
  lines.push("", "  Stop with Ctrl+C.", "");
  return lines.join("\n");
}
