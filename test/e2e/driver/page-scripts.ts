// What a user sees and clicks, for the engines whose libraries do not look into shadow roots.

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
  const first = (found) => [...found].find(isSeen) ?? null;
  const inside = (outer, inner) => first([...all(document, outer)].flatMap((host) => [
    ...all(host, inner), ...(host.shadowRoot ? all(host.shadowRoot, inner) : []),
  ]));
  if (inner) return inside(selector, inner);
  // The last part may be in a shadow of what is before it.
  const [, outer, last] = /^(.+) (\\S+)$/.exec(selector) ?? [];
  return first(all(document, selector)) ?? (outer ? inside(outer, last) : null);
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
