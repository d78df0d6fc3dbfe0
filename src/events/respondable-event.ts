/** An event that a listener answers, as a service worker answers a `FetchEvent`. */
export abstract class RespondableEvent<Answer> extends Event {
  #answer: Promise<Answer> | undefined;

  /** What a listener answered; undefined where none did. */
  get answer(): Promise<Answer> | undefined {
    return this.#answer;
  }

  /**
   * Answers the event. To be called by a listener before it returns, by one listener alone.
   *
   * @throws {DOMException} `InvalidStateError` where it is too late, or answered already.
   */
  respondWith(answer: Answer | PromiseLike<Answer>): void {
    if (this.#answer || this.eventPhase === Event.NONE) {
      throw new DOMException(`Too late to answer ${this.type}`, "InvalidStateError");
    }
    this.#answer = Promise.resolve(answer);
  }
}
