import type { LitElement } from "lit";

/** Whether the page brings a label. Blanks around what goes into other slots are none. */
export const hasLabel = ({ childNodes }: Element): boolean =>
  ([...childNodes] as Partial<Element & Text>[]).some(
    ({ slot, wholeText }) => slot === "" || wholeText?.trim(),
  );

/** Renders the element again when its label comes, goes or is filled in: no slot tells all of that. */
export function watchLabel(host: LitElement): void {
  new MutationObserver(() => host.requestUpdate()).observe(host, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}
