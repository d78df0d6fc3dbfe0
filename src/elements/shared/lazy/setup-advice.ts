/** By an error's code: what the page's author can do. */
export const SETUP_ADVICE: Readonly<Record<string, string>> = {
  registration_refused:
    "Providers register applications with a public https home page: set client-uri to your site's URL, also while you develop on localhost.",
  registration_not_supported: "Register the application by hand, and set client-id.",
  insecure_context: "Serve the page over https, or from localhost.",
};
