import { html, nothing, type TemplateResult } from "lit";
import type { AuthHost } from "./auth-host.js";
import { isInPage } from "./page-lifecycle.js";

/** A button's label: the page's, else a text. */
export function renderLabel(host: AuthHost, text: string): TemplateResult {
  const blank = isBlank(host);
  return html`<slot>${blank ? nothing : text}</slot>${blank ? text : nothing}`;
}

/** Whether whitespace around content for other slots keeps the slot's own text from being shown. */
function isBlank({ isHydrating, childNodes }: AuthHost): boolean {
  // A server does not know what is inside, and what it has rendered comes first.
  if (isHydrating) return false;
  const inSlot = ([...childNodes] as Partial<Element & Text>[]).filter(
    ({ slot, wholeText }) => slot === "" || wholeText !== undefined,
  );
  return inSlot.length > 0 && inSlot.every(({ wholeText }) => wholeText?.trim() === "");
}

/** Renders the element again when its label is added, removed or filled in: slots do not report it all. */
export function watchLabel(host: AuthHost): void {
  if (!isInPage()) return;
  new MutationObserver(() => host.requestUpdate()).observe(host, {
    childList: true,
    characterData: true,
    subtree: true,
  });
}
