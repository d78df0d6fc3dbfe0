/** Options for events with listeners anywhere on the page. */
export const EVERYWHERE: EventInit = { bubbles: true, composed: true };

export const CANCELABLE_EVERYWHERE: EventInit = { ...EVERYWHERE, cancelable: true };

/** The elements of all copies of the library have it: an element may contain those of another. */
export const ELEMENT: unique symbol = Symbol.for("matrix-auth-elements/element");

/**
 * The event as an element fires it. Inside another element of the library it is not composed, so it
 * ends at that element's shadow root: it may have tokens, and a composed event is visible on the
 * whole page, to listeners of the capture phase even if the outer element stops it.
 *
 * Only requests for a context continue, because the context's provider may be outside.
 */
export function eventFrom(element: Node, event: Event): Event {
  const { host } = element.getRootNode() as Partial<ShadowRoot>;
  if (!event.composed || !host || !(ELEMENT in host) || event.type === "context-request") {
    return event;
  }
  const { type, bubbles, cancelable, constructor } = event;
  // The class's own constructor would make it composed.
  const copy: unknown = Reflect.construct(Event, [type, { bubbles, cancelable }], constructor);
  // All that the class adds, such as `detail`. The platform's only own property is read-only.
  const members = Object.entries(event).filter(([name]) => name !== "isTrusted");
  return Object.assign(copy as Event, Object.fromEntries(members));
}

/** An event with a `detail`. Unless `options` say otherwise, it does not bubble. */
export abstract class DetailEvent<Detail> extends Event {
  readonly detail: Detail;

  constructor(type: string, detail: Detail, options?: EventInit) {
    super(type, options);
    this.detail = detail;
  }
}

/** An event that a listener responds to, the way a service worker responds to a `FetchEvent`. */
export abstract class RespondableEvent<Response, Detail = unknown> extends Event {
  readonly #detail: Detail;
  #response: Promise<Response> | undefined;

  constructor(type: string, detail: Detail) {
    super(type);
    this.#detail = detail;
  }

  /**
   * It may contain a secret, so while listeners of the capture phase elsewhere on the page run, such
   * as those of analytics, it is `null`.
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
