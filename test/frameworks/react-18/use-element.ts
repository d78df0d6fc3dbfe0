import { useEffect, useRef, type RefObject } from "react";

/** Sets properties of an element after each render, and adds listeners to it: what React 18 does not do itself. */
export function useElement<E extends HTMLElement>(
  properties: Partial<E>,
  listeners: { [T in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[T]) => void },
): RefObject<E> {
  const ref = useRef<E>(null);
  useEffect(() => {
    const added = new AbortController();
    const { signal } = added;
    for (const [type, listener] of Object.entries(listeners)) {
      ref.current?.addEventListener(type, listener as EventListener, { signal });
    }
    if (ref.current) Object.assign(ref.current, properties);
    return () => added.abort();
  });
  return ref;
}
