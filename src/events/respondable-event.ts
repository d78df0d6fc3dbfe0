/** An event that a listener responds to, as a service worker responds to a `FetchEvent`. */
export abstract class RespondableEvent<Answer> extends Event {
  #answer: Promise<Answer> | undefined;

  /** What a listener answered; undefined if none did. */
  get answer(): Promise<Answer> | undefined {
    return this.#answer;
  }

  /**
   * Responds to the event. Only one listener may call it, and only before it returns.
   *
   * @throws {DOMException} `InvalidStateError` if it is too late or the event has been answered.
   */
  respondWith(answer: Answer | PromiseLike<Answer>): void {
    if (this.#answer || this.eventPhase === Event.NONE) {
      throw new DOMException(`Too late to respond to ${this.type}`, "InvalidStateError");
    }
    this.#answer = Promise.resolve(answer);
  }
}
