// What is on the page, in any shadow tree below an element.
import { visibleElements } from "../accessibility/modes.js";

/** Everything that a user can see of the element. */
export const visibleIn = (element: HTMLElement): readonly HTMLElement[] => [
  element,
  ...visibleElements(element),
  ...(element.shadowRoot ? visibleElements(element.shadowRoot) : []),
];

const CONTROLS = "button, a[href], input, select, textarea, summary";
const TEXT_FIELDS = "input:not([type=checkbox], [type=radio], [type=hidden], [type=submit])";

/** Whether it or an element around it is inert. */
export function isInert(element: Element): boolean {
  for (let each: Node | null = element; each; each = parentOf(each)) {
    if (each instanceof HTMLElement && each.inert) return true;
  }
  return false;
}

/** Its visible controls that can be used. A native modal dialog makes all others inert. */
export function controlsOf(element: HTMLElement): readonly HTMLElement[] {
  const visible = visibleIn(element);
  const modal = visible.find((each) => each.matches("dialog:modal")) ?? element;
  return visible.filter(
    (each) =>
      each.matches(CONTROLS) &&
      !each.matches(":disabled, [aria-disabled=true]") &&
      !isInert(each) &&
      isIn(each, modal),
  );
}

/** Whether something is the element's, and not the page's content of it. */
export const isOwn = (part: HTMLElement, element: HTMLElement): boolean =>
  part.getRootNode() !== element.getRootNode() || part.closest(".uia-fields") !== null;

/** Its visible fields with text. */
export const fieldsOf = (element: HTMLElement): readonly HTMLInputElement[] =>
  controlsOf(element).filter(
    (each): each is HTMLInputElement =>
      each instanceof HTMLInputElement &&
      each.matches(TEXT_FIELDS) &&
      !each.readOnly &&
      isOwn(each, element),
  );

const MAIN = [
  "[part~=submit]",
  "[part~=continue]",
  "button.primary",
  "[part~=retry]",
  // One copies a text, one opens the browser's own choice of files.
  "[part~=button]:not(#copy-user-id, #change-picture)",
  "[part~=provider]",
  "[part~=finished]",
  "[part~=open]",
];

/** The button that a user presses to go on. */
export function mainButtonOf(element: HTMLElement): HTMLElement | undefined {
  const buttons = controlsOf(element).filter((each) => isOwn(each, element) && !each.matches("a"));
  return MAIN.flatMap((selector) => buttons.filter((each) => each.matches(selector)))[0];
}

/** What ends something for good, by its English name. */
export const destructiveIn = (element: HTMLElement): readonly HTMLElement[] =>
  controlsOf(element).filter(
    (each) =>
      each.matches("button") &&
      isOwn(each, element) &&
      // The dialog is a question.
      !(each.getRootNode() as Partial<ShadowRoot>).host?.matches("uia-dialog") &&
      /^(Sign out|Remove|Delete|Deactivate)/.test(labelOf(each)),
  );

/** The button that answers an open question with no. */
export const cancelIn = (element: HTMLElement): HTMLElement | undefined =>
  controlsOf(element).find(
    (each) => each.matches("dialog:modal [part~=button]") && labelOf(each) === "Cancel",
  );

/** The button that answers it with yes. */
export const agreeIn = (element: HTMLElement): HTMLElement | undefined =>
  controlsOf(element).find((each) => each.matches("dialog:modal [part~=danger]"));

/** Fields for a code or a token. */
export const codesOf = (element: HTMLElement): readonly HTMLInputElement[] =>
  fieldsOf(element).filter(({ type, dataset }) => "private" in dataset && type !== "password");

export const labelOf = (control: HTMLElement): string =>
  (control.getAttribute("aria-label") ?? control.textContent ?? "").trim();

/** The focused element, in any shadow root that is open. */
export function focused(root: Document | ShadowRoot = document): Element | null {
  const element = root.activeElement;
  return element?.shadowRoot?.activeElement ? focused(element.shadowRoot) : element;
}

/** What is around it on the screen: through slots and shadow roots. */
const parentOf = (node: Node): Node | null =>
  (node instanceof Element && node.assignedSlot) ||
  (node instanceof ShadowRoot ? node.host : node.parentNode);

/** Whether a node is in an element, or in a shadow tree below it. */
function isIn(node: Node | null, element: Element): boolean {
  for (let each = node; each; each = parentOf(each)) if (each === element) return true;
  return false;
}

/** What the focused element is in the element's own tree, also if that is in a closed shadow root. */
export function focusedIn(element: HTMLElement): Element | null {
  const root = element.getRootNode() as Document | ShadowRoot;
  const inside = focused(root);
  return isIn(inside, element) ? inside : null;
}

/** What is left of a countdown, which goes on: minutes with seconds, or seconds. */
const COUNTDOWN = /^\p{Nd}+(:\p{Nd}+)?$/u;

/** The words that a user can read in the element, sorted. */
export const textOf = (element: HTMLElement): string =>
  visibleIn(element)
    .flatMap(({ childNodes }) => [...childNodes])
    .filter((node): node is Text => node instanceof Text)
    .flatMap(({ data }) => data.split(/\s+/))
    .filter((word) => word && !COUNTDOWN.test(word))
    .sort()
    .join(" ");
