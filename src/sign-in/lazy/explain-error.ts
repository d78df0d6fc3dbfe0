import type { CodedError } from "./error-text.js";

/** By the server's code for a rejection, or by an error's code: what the page's author can do. */
export const SETUP_ADVICE: Readonly<Record<string, string>> = {
  registration_refused:
    "Providers accept only apps with a public HTTPS home page. Set client-uri to your site's URL, also during development on localhost.",
  invalid_redirect_uri:
    "Set redirect-uri to an HTTPS URL on the host of client-uri. Matrix Authentication Service accepts only letters, digits, '.', '-', and '/' in its path.",
  registration_not_supported: "Register your app with the provider, and set client-id.",
  insecure_context: "Serve the page over HTTPS, or from localhost.",
};

/** The codes of what a user cannot fix. */
const DEVELOPERS_CODES: readonly string[] = [
  "registration_refused",
  "registration_not_supported",
  "insecure_context",
  "settings_invalid",
  "prompt_not_supported",
  "registration_invalid",
  "metadata_invalid",
  "issuer_mismatch",
  "authorization_failed",
  "scope_not_granted",
  "load_failed",
  "unexpected",
];

const MAX_REASON = 500;

/** The page that explains each code; a test compares it with the `homepage` of package.json. */
const ERRORS_PAGE = "matrix-auth-elements/docs/reference/errors.md";

const explained = new Set<string>();

/**
 * Explains an error on the console, for the page's author, once: users only see what they can do
 * about it. The reasons of these codes contain no secrets.
 *
 * @param advice By the server's own code, or by ours: what the author can do, where the reason
 *   alone does not say so.
 */
export function explainError(
  { code, cause, message }: CodedError,
  advice: Readonly<Record<string, string>> = {},
): void {
  const reason = cause instanceof Error ? cause.message : message;
  const text = `matrix-auth-elements: ${code}. ${reason.slice(0, MAX_REASON)}`;
  if (!DEVELOPERS_CODES.includes(code) || explained.has(text)) return;
  explained.add(text);
  const { error = code } = (cause ?? {}) as { readonly error?: string };
  const help = advice[error] ?? advice[code];
  console.warn(`${text}. ${help ? `${help} ` : ""}See ${ERRORS_PAGE}#${code}`);
}
