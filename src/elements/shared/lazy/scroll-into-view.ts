/** Moves an element into sight, as far as it is not: on a small screen it may be below the keyboard. */
export const scrollIntoView = (element: Element | null | undefined): void =>
  // An environment for tests that has no layout has nothing to scroll.
  (element as Partial<Element> | undefined)?.scrollIntoView?.({ block: "nearest" });
