import { RequestError } from "../http/index.js";
import { OidcError, OidcFlowError } from "../oidc/index.js";
import { retry } from "./retry.js";

interface Flight<T> {
  readonly key: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** A call that is shared by everyone who wants the same thing at the same time. */
export class SingleFlight<T> {
  #flight: Flight<T> | undefined;
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure Called once for a call that failed, however many wait for it, or still wait. */
  constructor(onFailure: (error: unknown) => void = () => undefined) {
    this.#onFailure = onFailure;
  }

  /**
   * Waits for the call that is in progress for the same `key`, or starts one. Once no caller waits for it
   * anymore, it is cancelled between two attempts.
   *
   * @param attempts How often to make the call at most, as long as its failure is retryable.
   * @throws {OidcFlowError} `RefreshTokenFailed` (`aborted`) if `signal` ends the wait; `timeout` if
   *   another tab keeps this one waiting; also what the call rejects with.
   */
  async join(
    key: string,
    attempts: number,
    call: (flightSignal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    try {
      signal?.throwIfAborted();
      let flight = this.#flight;
      if (flight?.key !== key || flight.controller.signal.aborted) {
        flight = this.#begin(key, attempts, call);
      }
      return await waitFor(flight, signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
      throw new OidcFlowError(OidcError.RefreshTokenFailed, "aborted", error);
    }
  }

  #begin(
    key: string,
    attempts: number,
    call: (flightSignal: AbortSignal) => Promise<T>,
  ): Flight<T> {
    const controller = new AbortController();
    const result = retry(() => call(controller.signal), attempts, controller.signal).catch(
      (error: unknown) => {
        // Another tab kept this one waiting for too long to try that again.
        if (!(error instanceof RequestError)) throw error;
        throw new OidcFlowError(OidcError.RefreshTokenFailed, error.code, error);
      },
    );
    const flight = { key, result, controller, waiting: 0 };
    const clear = (): void => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    result.then(clear, (error: unknown) => {
      clear();
      if (error !== controller.signal.reason) this.#onFailure(error);
    });
    this.#flight = flight;
    return flight;
  }
}

function waitFor<T>(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      reject(signal?.reason as Error);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    const stay = (): void => signal?.removeEventListener("abort", leave);
    flight.result.finally(stay).then(resolve, reject);
  });
}
