/** Options for events with listeners anywhere on the page. */
export const EVERYWHERE: EventInit = { bubbles: true, composed: true };

export const CANCELABLE_EVERYWHERE: EventInit = { ...EVERYWHERE, cancelable: true };

/**
 * A property of the elements of all copies of the library: an element may contain elements of
 * another copy.
 */
export const ELEMENT: unique symbol = Symbol.for("matrix-auth-elements/element");

/**
 * The event as an element fires it. Inside another element of the library, the event is not
 * composed, so it ends at that element's shadow root. The event may contain tokens, and capturing
 * listeners anywhere on the page would see a composed event, even if the outer element stops it.
 *
 * Only requests for a context stay composed, because the context's provider may be outside.
 */
export function eventFrom(element: Node, event: Event): Event {
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  if (!event.composed || !host || !(ELEMENT in host) || event.type === "context-request") {
    return event;
  }
  const { type, bubbles, cancelable, constructor } = event;
  // The class's own constructor would make the event composed.
  const copy: unknown = Reflect.construct(Event, [type, { bubbles, cancelable }], constructor);
  // Copy everything that the class adds, such as `detail`. The only own property of a platform
  // event is read-only.
  const members = Object.entries(event).filter(([name]) => name !== "isTrusted");
  return Object.assign(copy as Event, Object.fromEntries(members));
}

/** An event with a `detail`. By default it does not bubble. */
export abstract class DetailEvent<Detail> extends Event {
  readonly detail: Detail;

  constructor(type: string, detail: Detail, options?: EventInit) {
    super(type, options);
    this.detail = detail;
  }
}

/** An event that a listener responds to, like a service worker responds to a `FetchEvent`. */
export abstract class RespondableEvent<Response, Detail = unknown> extends Event {
  readonly #detail: Detail;
  #response: Promise<Response> | undefined;

  constructor(type: string, detail: Detail) {
    super(type);
    this.#detail = detail;
  }

  /**
   * The event's data. It may contain a secret, so it is `null` for capturing listeners elsewhere on
   * the page, such as those of analytics.
   */
  get detail(): Detail {
    const isElsewhere = this.eventPhase === Event.CAPTURING_PHASE;
    return isElsewhere ? (null as Detail) : this.#detail;
  }

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
