/** Replaced if the page was opened with a response, which it must be opened with again. */
export const page = { reload: (): void => location.reload() };

/** Whether the last retry has loaded a part again. */
let hasLoaded = false;

/**
 * Tries again after an error. If a part could not be loaded, it is first loaded again, then the page
 * is reloaded. Firefox remembers a failed `import()` until then, as the specification requires;
 * Chromium and WebKit send the request again.
 *
 * @see https://html.spec.whatwg.org/multipage/webappapis.html#fetch-a-single-module-script
 */
export function tryAgain(error: unknown, retry: () => unknown): void {
  const { code } = Object(error) as { readonly code?: string };
  // Without a connection, the user would lose the page.
  const loads = code === "load_failed" && navigator.onLine;
  if (loads && hasLoaded) page.reload();
  else {
    hasLoaded = loads;
    retry();
  }
}
