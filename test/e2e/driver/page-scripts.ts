// Finds visible and clickable elements, for engines whose libraries do not look into shadow roots.

/**
 * A function `(selector, inner) => Element | null`: the first visible element of that selector, in any
 * shadow root; with `inner`, the first of that inside of it.
 */
export const FIND_VISIBLE = `(selector, inner) => {
  function* all(root, wanted) {
    yield* root.querySelectorAll(wanted);
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      if (shadowRoot) yield* all(shadowRoot, wanted);
    }
  }
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = width > 0 && height > 0 && getComputedStyle(element).visibility === "visible";
    return isShown && !element.matches(":disabled");
  };
  const rootsOf = (host) => (host.shadowRoot ? [host, host.shadowRoot] : [host]);
  const inside = (roots, wanted) => {
    const matches = (each) => roots.flatMap((root) => [...all(root, each)]);
    // The last part may be in a shadow root of what is before it.
    const [, outer, last] = /^(.+) (\\S+)$/.exec(wanted) ?? [];
    const found = matches(wanted).find(isSeen);
    return found ?? (outer ? inside(matches(outer).flatMap(rootsOf), last) : null);
  };
  return inner
    ? inside([...all(document, selector)].flatMap(rootsOf), inner)
    : inside([document], selector);
}`;

const CLICKED = `Symbol.for("clicked")`;

/** As {@link FIND_VISIBLE}, as a promise: an element to click, which has ceased to move. */
export const FIND_STILL = `async (selector, inner) => {
  const found = (${FIND_VISIBLE})(selector, inner);
  const place = () => JSON.stringify(found.getBoundingClientRect());
  const before = found && place();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const isStill = found?.isConnected && document.readyState === "complete" && place() === before;
  if (!isStill) return null;
  // A frame takes its clicks itself.
  found[${CLICKED}] = found.localName === "iframe";
  found.addEventListener("click", () => (found[${CLICKED}] = true), { once: true, capture: true });
  return found;
}`;

/** Whether an element of {@link FIND_STILL} was clicked: it may have moved at the last moment. */
export const WAS_CLICKED = `(element) => element[${CLICKED}]`;
