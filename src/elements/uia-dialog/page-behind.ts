import { pathOf } from "../../ui/focus-path.js";

/** The pages behind open dialogs. Only the last one, behind the topmost dialog, is inert. */
const blocked: PageBehind[] = [];

const WATCHED = { attributeFilter: ["inert", "aria-hidden", "disabled"] };

/** Reports what the page changes. */
let changes: MutationObserver | undefined;

/**
 * The page around an open dialog. It is inert: neither keys, nor clicks, nor scripts that set the
 * focus reach it. Content that appears later stays usable, because it belongs to the user's current
 * action: a password manager's menu, a captcha's window, a message of the page.
 *
 * @see https://html.spec.whatwg.org/multipage/interaction.html#the-inert-attribute
 */
export class PageBehind {
  readonly #host: Element;
  /** The elements that the dialog has made inert, except those that the page has changed since. */
  places = new Set<HTMLElement>();
  /**
   * The elements that hid the dialog from screen readers, for example because of another modal of
   * the page.
   */
  hiders = new Set<HTMLElement>();
  /** The elements that disabled the dialog's fields. */
  disablers = new Set<HTMLElement>();

  /** @param host The dialog's element. Its content is a part of the dialog. */
  constructor(host: Element) {
    this.#host = host;
  }

  /** Makes the page inert, if it isn't. */
  block(): void {
    if (blocked.includes(this)) return;
    blocked.at(-1)?.switch(false);
    this.#look();
    blocked.push(this);
    this.switch(true);
  }

  /** Called when the host has moved. The topmost dialog stays topmost. */
  moved(): void {
    if (!blocked.includes(this)) return;
    blocked.at(-1)?.switch(false);
    this.#look();
    blocked.at(-1)?.switch(true);
  }

  /** Restores the page, or the state that the dialog below requires. */
  unblock(): void {
    if (!blocked.includes(this)) return;
    blocked.at(-1)?.switch(false);
    blocked.splice(blocked.indexOf(this), 1);
    blocked.at(-1)?.switch(true);
    if (blocked.length === 0) changes?.disconnect();
  }

  #look(): void {
    const path = pathOf(this.#host);
    this.places = new Set(path.flatMap(siblingsOf).filter(mayBeUsed));
    this.hiders = new Set(path.filter(({ ariaHidden }) => ariaHidden === "true"));
    this.disablers = new Set(path.filter((each) => each.matches("fieldset[disabled]")));
  }

  switch(inert: boolean): void {
    changes ??= new MutationObserver(leaveToPage);
    leaveToPage(changes.takeRecords());
    for (const place of this.places) {
      place.inert = inert;
      changes.observe(place, WATCHED);
    }
    for (const place of this.hiders) {
      // Without the attribute, a removal by the page could not be observed.
      place.ariaHidden = String(!inert);
      changes.observe(place, WATCHED);
    }
    for (const place of this.disablers) {
      place.toggleAttribute("disabled", !inert);
      changes.observe(place, WATCHED);
    }
    // These changes are not the page's.
    changes.takeRecords();
  }
}

function leaveToPage(records: readonly MutationRecord[]): void {
  for (const { target, attributeName } of records) {
    for (const { places, hiders, disablers } of blocked) {
      const changed = { inert: places, "aria-hidden": hiders, disabled: disablers };
      changed[attributeName as keyof typeof changed].delete(target as HTMLElement);
    }
  }
}

/** The siblings in the flat tree. The siblings of `<body>` belong to browser extensions. */
function siblingsOf(place: HTMLElement): HTMLElement[] {
  if (place === document.body) return [];
  const siblings = place.assignedSlot?.assignedElements() ?? place.parentNode?.children ?? [];
  return [...siblings].filter(
    (each): each is HTMLElement => each instanceof HTMLElement && each !== place,
  );
}

/**
 * Elements that might be filled later: containers for modals, and places for messages, which have
 * no controls now.
 */
const EMPTY =
  "div:empty, [aria-live]:not(:has(a, button, input, select, textarea, summary, iframe, [tabindex]))";

/** Whether the user could use something in it now. Hidden content might appear later. */
function mayBeUsed(place: HTMLElement): boolean {
  const { inert, shadowRoot } = place;
  if (inert || (place.matches(EMPTY) && !shadowRoot)) return false;
  // An element with `display: contents` never counts as visible.
  const isSeen = place.checkVisibility({ visibilityProperty: true });
  return isSeen || getComputedStyle(place).display === "contents";
}
