/** Whether this is a page. Servers and workers have no document, or only a partial one. */
export const isInPage = (): boolean =>
  "querySelector" in ((globalThis as { document?: object }).document ?? {});

/**
 * Resolves when the page's own scripts have run, so that their listeners receive an element's
 * events.
 */
export async function pageScriptsDone(): Promise<void> {
  // Test environments might lack these entries.
  const [page]: readonly Partial<PerformanceNavigationTiming>[] =
    (performance as Partial<Performance>).getEntriesByType?.("navigation") ?? [];
  if (document.readyState === "complete" || page?.domContentLoadedEventEnd) return;
  await new Promise((resolve) => {
    // `load` covers elements that are added during DOMContentLoaded itself.
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
    window.addEventListener("load", resolve, { once: true });
  });
}

/** Runs when the browser is idle. @returns A function that cancels it. */
export function whenIdle(run: () => void): () => void {
  // Remove this fallback when Safari supports the function:
  // https://developer.mozilla.org/docs/Web/API/Window/requestIdleCallback
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(run, { timeout: 2000 });
    return () => cancelIdleCallback(handle);
  }
  const handle = setTimeout(run, 1);
  return () => clearTimeout(handle);
}

/** Runs a function when an element has left the page, but not when it was only moved. */
export function whenRemoved(host: Element, run: () => void): void {
  queueMicrotask(() => {
    if (!host.isConnected) run();
  });
}
