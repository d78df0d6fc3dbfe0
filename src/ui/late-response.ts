/**
 * A request that the homeserver might carry out although its operation has ended, for example because
 * the user has cancelled it. Its response then still counts.
 */
export class LateResponse<Given extends unknown[], Response> {
  readonly #request: (...given: Given) => Promise<Response>;
  readonly #late: (response: Response) => unknown;
  #isAwaited = true;
  #isCarriedOut = false;

  /** @param late Called with the first response, if it arrives after `end()`. */
  constructor(
    request: (...given: Given) => Promise<Response>,
    late: (response: Response) => unknown,
  ) {
    this.#request = request;
    this.#late = late;
  }

  get isCarriedOut(): boolean {
    return this.#isCarriedOut;
  }

  readonly send = async (...given: Given): Promise<Response> => {
    const response = await this.#request(...given);
    const isFirst = !this.#isCarriedOut;
    this.#isCarriedOut = true;
    if (isFirst && !this.#isAwaited) await this.#late(response);
    return response;
  };

  /** The operation has ended. */
  end(): void {
    this.#isAwaited = false;
  }
}
