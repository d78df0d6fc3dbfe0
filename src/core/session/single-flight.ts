import { wait } from "../http/wait.js";
import { OidcError, OidcFlowError } from "../oauth/errors.js";
import { TabLockTimeout } from "./tab-lock.js";

type FlightCall<T> = (flightSignal: AbortSignal) => Promise<T>;

interface Flight<T> {
  readonly key: string;
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export class SingleFlight<T> {
  #flight: Flight<T> | undefined;
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void = () => undefined) {
    this.#onFailure = onFailure;
  }

  /**
   * When no caller waits any longer, the call is cancelled between two attempts.
   *
   * @throws {OidcFlowError} `RefreshTokenFailed`: `aborted` if `signal` ends the wait; `timeout` if
   *   another tab keeps the lock. Also the errors of the call.
   */
  async join(key: string, attempts: number, call: FlightCall<T>, signal?: AbortSignal): Promise<T> {
    try {
      signal?.throwIfAborted();
      let flight = this.#flight;
      if (flight?.key !== key || flight.controller.signal.aborted) {
        flight = this.#start(key, attempts, call);
      }
      return await joinFlight(flight, signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
      throw new OidcFlowError(OidcError.RefreshTokenFailed, "aborted", error);
    }
  }

  #start(key: string, attempts: number, call: FlightCall<T>): Flight<T> {
    const controller = new AbortController();
    const { signal } = controller;
    const result = retry(() => call(signal), attempts, signal).catch((error: unknown) => {
      // Another tab kept the lock for too long to try again.
      if (!(error instanceof TabLockTimeout)) throw error;
      throw new OidcFlowError(OidcError.RefreshTokenFailed, error.code, error);
    });
    const flight = { key, result, controller, waiting: 0 };
    const clear = () => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    result.then(clear, (error: unknown) => {
      clear();
      if (error !== signal.reason) this.#onFailure(error);
    });
    this.#flight = flight;
    return flight;
  }
}

function joinFlight<T>(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal?.reason as Error);
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    const stay = () => signal?.removeEventListener("abort", leave);
    flight.result.finally(stay).then(resolve, reject);
  });
}

/** Over some 15 seconds. */
export const MAX_ATTEMPTS = 5;

const MAX_RETRY_WAIT_MS = 60_000;

/**
 * Waits 1, 2, 4, 8 seconds, plus or minus a fifth so that clients do not all return together, or as
 * the server asks.
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  attempts: number,
  signal: AbortSignal,
): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof OidcFlowError && error.retryable) || made >= attempts) throw error;
      const backOff = 1000 * 2 ** (made - 1) * (0.8 + 0.4 * Math.random());
      const ms = Math.max(backOff, error.retryAfterMs ?? 0);
      if (ms > MAX_RETRY_WAIT_MS) throw error;
      await wait(ms, signal);
    }
  }
}
