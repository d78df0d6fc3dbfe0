/** By the server's code for a refusal, or by an error's code: what the page's author can do. */
export const SETUP_ADVICE: Readonly<Record<string, string>> = {
  registration_refused:
    "Providers register applications with a public https home page: set client-uri to your site's URL, also while you develop on localhost.",
  invalid_redirect_uri:
    "Set redirect-uri to an https URL on the host of client-uri. Matrix Authentication Service takes only letters, digits, '.', '-' and '/' in its path.",
  registration_not_supported: "Register the application by hand, and set client-id.",
  insecure_context: "Serve the page over https, or from localhost.",
};
