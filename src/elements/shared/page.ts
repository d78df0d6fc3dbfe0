/** Resolves when the page's own scripts have run, so that they hear what an element has to say. */
export async function pageScriptsDone(): Promise<void> {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (document.readyState === "complete" || page?.domContentLoadedEventEnd) return;
  await new Promise((resolve) => {
    // The second for an element that comes while the first is being heard.
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
    window.addEventListener("load", resolve, { once: true });
  });
}

/** Runs when the browser has nothing better to do. @returns How to call it off. */
export function whenIdle(run: () => void): () => void {
  // WebKit has no requestIdleCallback.
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(run, { timeout: 2000 });
    return () => cancelIdleCallback(handle);
  }
  const handle = setTimeout(run, 1);
  return () => clearTimeout(handle);
}
