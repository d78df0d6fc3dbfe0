import type { ReactiveController } from "lit";
import type { AuthElement } from "../../ui/element.js";
import { isFocusLost } from "../../ui/focus-path.js";

interface Place {
  readonly element: Element;
  readonly section: Element;
  /** The number of the row; -1: none. */
  readonly row: number;
}

/** Moves the focus to the element that a section requests, and away from removed elements. */
export class AccountFocus implements ReactiveController {
  readonly #host: AuthElement;
  /** The place of the focus. */
  #place: Place | undefined;
  #next: string | undefined;

  constructor(host: AuthElement) {
    this.#host = host;
    // The host gets no event for moves within its shadow tree.
    host.renderRoot.addEventListener("focusin", this.#onFocus);
    host.addController(this);
  }

  /** @param id The ID of the element that gets the focus once it is rendered. */
  next(id: string): void {
    this.#next = id;
    this.#host.requestUpdate();
  }

  hostUpdated(): void {
    const id = this.#next;
    this.#next = undefined;
    if (id) this.#host.shadowRoot?.getElementById(id)?.focus();
    const place = this.#place;
    if (isFocusLost() && place?.element.isConnected === false) this.#placeNear(place)?.focus();
  }

  #placeNear({ section, row }: Place): HTMLElement | null | undefined {
    if (!section.isConnected) return this.#host.shadowRoot?.getElementById("status");
    const rows = rowsOf(section);
    const next = row >= 0 ? (rows[row] ?? rows.at(-1)) : undefined;
    const controls = next?.querySelectorAll<HTMLElement>("button, a") ?? [];
    return (
      [...controls].find((each: Partial<HTMLElement>) => each.checkVisibility?.() ?? true) ??
      section.querySelector<HTMLElement>("[part=heading]")
    );
  }

  /**
   * The event's path includes slots, so it contains the section even for a field in the light DOM.
   */
  readonly #onFocus = (event: Event): void => {
    const path = event.composedPath().filter((each) => each instanceof HTMLElement);
    const [element] = path;
    if (!element) return;
    const section = path.find(({ dataset }) => "section" in dataset);
    const row = path.find(({ dataset }) => "row" in dataset);
    // The dialog returns the focus itself.
    this.#place = section && { element, section, row: row ? rowsOf(section).indexOf(row) : -1 };
  };
}

const rowsOf = (section: Element): Element[] => [...section.querySelectorAll("[data-row]")];
