import type { CodedError } from "../ui/error-box.js";

/** Fixes for the developer, by the code of the server or of the error. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    "registration_refused",
    "Some providers accept only apps with a public HTTPS home page. Set client-uri to your site's URL, also during development on localhost.",
  ],
  [
    "invalid_redirect_uri",
    "Set redirect-uri to an HTTPS URL on the host of client-uri. Matrix Authentication Service accepts only letters, digits, '.', '-', and '/' in its path.",
  ],
  ["registration_not_supported", "Register your app with the provider, and set client-id."],
  ["insecure_context", "Serve the page over HTTPS, or from localhost."],
]);

const MAX_REASON = 500;

/** The page that explains each code; a test compares it with the `homepage` of package.json. */
const ERRORS_PAGE = "matrix-auth-elements/docs/reference/errors.md";

const ROUTES_PAGE = "matrix-auth-elements/docs/guides/protect-routes.md";

const explained = new Set<string>();

/** Logs a text for the developer, once. */
function log(text: string): void {
  if (explained.has(text)) return;
  explained.add(text);
  console.warn(`matrix-auth-elements: ${text}`);
}

/** The reasons of these codes contain no secrets. */
export function explainError({ code, cause, message }: CodedError): void {
  const { error = code } = (cause ?? {}) as { readonly error?: string };
  const reason = cause instanceof Error ? cause.message : message;
  const help = ADVICE.get(error) ?? ADVICE.get(code);
  const text = [`${code}. ${reason.slice(0, MAX_REASON)}.`, help, `See ${ERRORS_PAGE}#${code}`];
  log(text.filter(Boolean).join(" "));
}

/** @param uri Used instead of this page's path. */
export const explainRedirectUri = (path: string, uri: string): void =>
  log(
    `Some providers reject ${path} as a redirect URI. The sign-in returns to ${uri}, unless you set redirect-uri`,
  );

export const explainNoCallback = (): void =>
  log(
    `The page has the provider's response, but no <oidc-callback> or <matrix-login> to complete the sign-in. Add one outside of the routes, with the session-key, store, and user-id of the element that started it. See ${ROUTES_PAGE}`,
  );

export const explainLateImport = (): void =>
  log(
    `The page's URL no longer has the provider's response. Import the elements before the router. See ${ROUTES_PAGE}`,
  );
