import type { LitElement } from "lit";

/** Whether the page provides a label. Whitespace around content for other slots does not count. */
export const hasLabel = ({ childNodes }: Element): boolean =>
  ([...childNodes] as Partial<Element & Text>[]).some(
    ({ slot, wholeText }) => slot === "" || wholeText?.trim(),
  );

/** Renders the element again when its label is added, removed or filled in: slots do not report it all. */
export function watchLabel(host: LitElement): void {
  new MutationObserver(() => host.requestUpdate()).observe(host, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}
