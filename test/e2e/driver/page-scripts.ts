// Finds visible and clickable elements, for engines whose libraries do not look into shadow roots.

/**
 * A function `(selector, inner) => Element | null` for the first visible element that matches the
 * selector, in any shadow root. With `inner`, it is the first match of `inner` inside such an element.
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
    // The last part may be in the shadow root of an element that matches the part before it.
    const [, outer, last] = /^(.+) (\\S+)$/.exec(wanted) ?? [];
    const found = matches(wanted).find(isSeen);
    return found ?? (outer ? inside(matches(outer).flatMap(rootsOf), last) : null);
  };
  return inner
    ? inside([...all(document, selector)].flatMap(rootsOf), inner)
    : inside([document], selector);
}`;

const CLICKED = `Symbol.for("clicked")`;

/** Like {@link FIND_VISIBLE}, but resolves to the element only if it does not move, so that it can be clicked. */
export const FIND_STILL = `async (selector, inner) => {
  const found = (${FIND_VISIBLE})(selector, inner);
  const place = () => JSON.stringify(found.getBoundingClientRect());
  const before = found && place();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const isStill = found?.isConnected && document.readyState === "complete" && place() === before;
  if (!isStill) return null;
  // Clicks in a frame do not reach this page.
  found[${CLICKED}] = found.localName === "iframe";
  found.addEventListener("click", () => (found[${CLICKED}] = true), { once: true, capture: true });
  return found;
}`;

/** Whether the click reached the element of {@link FIND_STILL}, which may have moved at the last moment. */
export const WAS_CLICKED = `(element) => element[${CLICKED}]`;
