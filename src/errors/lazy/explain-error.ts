import type { CodedError } from "./error-text.js";

/** Fixes for the developer, by the server's code or by an error's code. */
export type Advice = Readonly<Record<string, string>>;

export const SETUP_ADVICE: Advice = {
  registration_refused:
    "Some providers accept only apps with a public HTTPS home page. Set client-uri to your site's URL, also during development on localhost.",
  invalid_redirect_uri:
    "Set redirect-uri to an HTTPS URL on the host of client-uri. Matrix Authentication Service accepts only letters, digits, '.', '-', and '/' in its path.",
  registration_not_supported: "Register your app with the provider, and set client-id.",
  insecure_context: "Serve the page over HTTPS, or from localhost.",
};

/** The codes of errors that a user can't fix. */
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

/** Logs a text for the developer, once. */
export function explain(text: string): void {
  if (explained.has(text)) return;
  explained.add(text);
  console.warn(`matrix-auth-elements: ${text}`);
}

/** Users only see what they can do. The reasons of these codes contain no secrets. */
export function explainError({ code, cause, message }: CodedError, advice: Advice = {}): void {
  if (!DEVELOPERS_CODES.includes(code)) return;
  const { error = code } = (cause ?? {}) as { readonly error?: string };
  log(code, cause instanceof Error ? cause.message : message, advice[error] ?? advice[code]);
}

/** A fault of the page's own function or client. */
export function explainUnexpected(fault: unknown): void {
  log("unexpected", fault instanceof Error ? fault.message : String(fault));
}

function log(code: string, reason: string, help = ""): void {
  const text = [`${code}. ${reason.slice(0, MAX_REASON)}.`, help, `See ${ERRORS_PAGE}#${code}`];
  explain(text.filter(Boolean).join(" "));
}
