/** For events whose listeners may be anywhere on the page. */
export const EVERYWHERE: EventInit = { bubbles: true, composed: true };

/** The same for events that a listener can cancel. */
export const CANCELABLE_EVERYWHERE: EventInit = { ...EVERYWHERE, cancelable: true };

/** An event that says what it is about; unless told otherwise, only to listeners at its element. */
export abstract class DetailEvent extends Event {
  readonly detail: unknown;

  constructor(type: string, detail: unknown, options?: EventInit) {
    super(type, options);
    this.detail = detail;
  }
}
