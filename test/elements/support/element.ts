// Steps that the tests of all elements share.
import { oneEvent } from "@open-wc/testing";
import { stub } from "../../support/stub.js";
import "./load-messages.js";
import { waitFor } from "./wait-for.js";

interface TestedElement extends HTMLElement {
  readonly state: string;
  readonly updateComplete: Promise<boolean>;
}

/** Resolves once the element has the state and shows it. */
export async function inState(element: TestedElement, state: string): Promise<void> {
  await waitFor(
    () => element.state === state,
    () => `state ${element.state}, not ${state}`,
  );
  await element.updateComplete;
}

/** A part of the element. */
export function part<E extends HTMLElement = HTMLElement>(element: Element, name: string): E {
  const found = element.shadowRoot?.querySelector<E>(`[part~=${name}]`);
  if (!found) throw new Error(`no part ${name}`);
  return found;
}

/** The text of its shadow tree. */
export const textIn = (element: Element): string =>
  element.shadowRoot?.textContent?.replace(/\s+/g, " ").trim() ?? "";

/** The text that describes the field, such as its error. */
export const descriptionOf = (field: Element): string =>
  document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent.trim() ?? "";

/** The next event of a type. */
export const nextEvent = <K extends keyof HTMLElementEventMap>(
  target: EventTarget,
  type: K,
): Promise<HTMLElementEventMap[K]> => oneEvent(target, type) as Promise<never>;

/** Records the types of the events that the element dispatches. */
export function recordEvents(target: EventTarget, ...types: readonly string[]): readonly string[] {
  const events: string[] = [];
  for (const type of types) target.addEventListener(type, () => events.push(type));
  return events;
}

/** Loads a page in a frame. The caller removes the frame. */
export async function loadFrame(content: Partial<HTMLIFrameElement>): Promise<HTMLIFrameElement> {
  const frame = Object.assign(document.createElement("iframe"), content);
  const loaded = oneEvent(frame, "load");
  document.body.append(frame);
  await loaded;
  return frame;
}

/** Shows a page in a frame's window that stands in for a popup, and closes it once that was seen. */
export async function closePopup(popup: Window): Promise<void> {
  popup.location.hash = "page";
  let looks = 0;
  const { now } = performance;
  stub(performance, "now", { value: () => now.call(performance) + looks * 60_000 });
  stub(popup, "closed", { get: () => (looks += 1) > 2 });
  await waitFor(() => looks > 2, "The popup was not watched");
}
