import type { CodedError } from "./coded-error.js";

/** What the page's author can do, where the reason alone does not say so. */
const ADVICE: Readonly<Record<string, string>> = {
  registration_refused:
    "Providers register applications with a public https home page: set client-uri to your site's URL, also while you develop on localhost.",
  registration_not_supported: "Register the application by hand, and set client-id.",
  insecure_context: "Serve the page over https, or from localhost.",
};

/** The codes of what a user cannot fix. */
const DEVELOPERS_CODES: readonly string[] = [
  ...Object.keys(ADVICE),
  "settings_invalid",
  "prompt_not_supported",
  "registration_invalid",
  "metadata_invalid",
  "authorization_failed",
  "scope_not_granted",
  "load_failed",
  "unexpected",
];

/** As much of a server's own words as is helpful. */
const MAX_REASON = 500;

const explained = new Set<string>();

/**
 * Explains an error on the console, for the page's author, once: users only see what they can do about it. The
 * reasons of these codes contain no secrets.
 */
export function explainError({ code, cause, message }: CodedError): void {
  if (!DEVELOPERS_CODES.includes(code)) return;
  const reason = cause instanceof Error ? cause.message : message;
  const lines = [code, reason.slice(0, MAX_REASON), ADVICE[code]].filter(Boolean);
  const text = `matrix-auth-elements: ${lines.join(". ")}`;
  if (explained.has(text)) return;
  explained.add(text);
  console.warn(text);
}
