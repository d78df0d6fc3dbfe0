/** Options for events with listeners anywhere on the page. */
export const EVERYWHERE: EventInit = { bubbles: true, composed: true };

export const CANCELABLE_EVERYWHERE: EventInit = { ...EVERYWHERE, cancelable: true };

/** An event with a `detail`. Unless `options` say otherwise, it does not bubble. */
export abstract class DetailEvent<Detail> extends Event {
  readonly detail: Detail;

  constructor(type: string, detail: Detail, options?: EventInit) {
    super(type, options);
    this.detail = detail;
  }
}

/** An event that a listener responds to, the way a service worker responds to a `FetchEvent`. */
export abstract class RespondableEvent<Response, Detail = unknown> extends DetailEvent<Detail> {
  #response: Promise<Response> | undefined;

  /** The listener's response; `undefined` if there is none. */
  get response(): Promise<Response> | undefined {
    return this.#response;
  }

  /**
   * Responds to the event. Only one listener may call it, and only before it returns.
   *
   * @throws {DOMException} `InvalidStateError` if it is too late or the event has a response.
   */
  respondWith(response: Response | PromiseLike<Response>): void {
    if (this.#response || this.eventPhase === Event.NONE) {
      throw new DOMException(`Too late to respond to ${this.type}`, "InvalidStateError");
    }
    this.#response = Promise.resolve(response);
  }
}

/**
 * The detail of an event before a redirect. Setting `url` throws, because it would have no effect.
 */
export const redirectDetail = <T extends { readonly url: string }>(detail: T): T => ({
  ...detail,
  get url() {
    return detail.url;
  },
  set url(_) {
    throw new TypeError("detail.url is read-only: cancel the event, and navigate to your URL");
  },
});
