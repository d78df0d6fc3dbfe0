import { DetailEvent } from "./detail-event.js";

/** An event that a listener responds to, the way a service worker responds to a `FetchEvent`. */
export abstract class RespondableEvent<Response> extends DetailEvent {
  #response: Promise<Response> | undefined;

  /** What a listener responded with; undefined if none did. */
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
