import { pathOf } from "../../ui/focus-path.js";

/** The pages behind open dialogs. Only the last one, behind the topmost dialog, is inert. */
const blocked: PageBehind[] = [];

const COPIED = "[inert=uia-dialog]";

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
  /**
   * By attribute, the elements that the dialog has made inert, and those that hid it from screen
   * readers or disabled its fields, except those that the page has changed since.
   */
  places: Readonly<Record<string, Set<HTMLElement>>> = {};

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
    this.places = {
      inert: new Set(path.flatMap(siblingsOf).filter(mayBeUsed)),
      "aria-hidden": new Set(path.filter(({ ariaHidden }) => ariaHidden === "true")),
      disabled: new Set(path.filter((each) => each.matches("fieldset[disabled]"))),
    };
  }

  switch(isOpen: boolean): void {
    changes ??= new MutationObserver(leaveToPage);
    leaveToPage(changes.takeRecords());
    for (const [name, places] of Object.entries(this.places)) {
      const isSet = (name === "inert") === isOpen;
      for (const place of places) {
        // Without the attribute, a removal by the page could not be observed.
        if (name === "aria-hidden") place.ariaHidden = String(isSet);
        // The value marks the copies of the page.
        else if (isSet) place.setAttribute(name, "uia-dialog");
        else place.removeAttribute(name);
        changes.observe(place, { attributeFilter: Object.keys(this.places) });
      }
    }
    // These changes are not the page's.
    changes.takeRecords();
  }
}

/** Makes a page usable that a page cache has copied while a dialog was open. */
export function restoreCopies(): void {
  if (!blocked[0])
    for (const each of document.querySelectorAll(COPIED)) each.removeAttribute("inert");
}

function leaveToPage(records: readonly MutationRecord[]): void {
  for (const { target, attributeName } of records) {
    for (const { places } of blocked) places[attributeName ?? ""]?.delete(target as HTMLElement);
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

const CONTROLS =
  "a, area, audio, button, canvas, embed, iframe, img, input, object, select, slot, summary, svg, " +
  "textarea, video, [contenteditable], [tabindex='0']";
const MESSAGES = "[aria-live],[role=alert],[role=status]";

/**
 * Whether the user could use something in it now. What is hidden or empty, and messages, might get
 * controls later.
 */
const mayBeUsed = (place: HTMLElement): boolean =>
  !place.inert && [place, ...place.querySelectorAll("*")].some(isUsable);

function isUsable(part: Element): unknown {
  // An element with `display: contents` never counts as visible.
  return (
    (part.checkVisibility({ visibilityProperty: true }) ||
      getComputedStyle(part).display === "contents") &&
    (part.matches(CONTROLS) ||
      part.shadowRoot ||
      customElements.get(part.localName) ||
      (!part.closest(MESSAGES) &&
        [...part.childNodes].some((node) => node instanceof Text && node.data.trim())))
  );
}
