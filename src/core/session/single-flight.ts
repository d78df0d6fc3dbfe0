import { retry } from "../http/retry.js";
import { DeadlineError, wait } from "../http/wait.js";
import { OidcFlowError } from "../oauth/flow-error.js";

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
   * If no caller is waiting anymore, the call is cancelled between two attempts.
   *
   * @throws {OidcFlowError} `RefreshTokenFailed`: `aborted` if `signal` ends the wait; `timeout` if
   *   another tab keeps the lock. Also the errors of the call.
   */
  async join(
    key: string,
    call: (flightSignal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
    attempts?: number,
  ): Promise<T> {
    const aborted = () => new OidcFlowError("Failed to refresh token", "aborted", signal?.reason);
    if (signal?.aborted) throw aborted();
    let flight = this.#flight;
    if (flight?.key !== key || flight.controller.signal.aborted) {
      flight = this.#start(key, call, attempts);
    }
    flight.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(aborted());
        flight.waiting -= 1;
        if (flight.waiting === 0) flight.controller.abort(signal?.reason);
      };
      signal?.addEventListener("abort", leave);
      const stay = () => signal?.removeEventListener("abort", leave);
      flight.result.finally(stay).then(resolve, reject);
    });
  }

  #start(
    key: string,
    call: (flightSignal: AbortSignal) => Promise<T>,
    attempts: number | undefined,
  ): Flight<T> {
    const controller = new AbortController();
    const { signal } = controller;
    const clear = () => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    const fail = (cause: unknown): never => {
      const error =
        cause instanceof DeadlineError
          ? new OidcFlowError("Failed to refresh token", "timeout", cause)
          : cause;
      if (cause !== signal.reason) this.#onFailure(error);
      throw error;
    };
    const result = retryTemporary(() => call(signal), signal, attempts)
      .finally(clear)
      .catch(fail);
    const flight = { key, result, controller, waiting: 0 };
    this.#flight = flight;
    return flight;
  }
}

/** Within about 15 seconds. */
const MAX_ATTEMPTS = 5;

const MAX_RETRY_WAIT_MS = 60_000;

/**
 * Repeats a call after temporary failures. The pauses are 1, 2, 4, and 8 seconds, plus or minus 20%
 * to spread the requests of many clients, or as long as the server requests. It ends earlier if the
 * server doesn't respond for more than a minute.
 */
export const retryTemporary = <T>(
  attempt: () => Promise<T>,
  signal: AbortSignal | undefined,
  maxAttempts = MAX_ATTEMPTS,
): Promise<T> => {
  const startedAt = Date.now();
  return retry(attempt, (error, attempts) => {
    if (!(error instanceof OidcFlowError && error.retryable)) return undefined;
    const backOff = 1000 * 2 ** (attempts - 1) * (0.8 + 0.4 * Math.random());
    const ms = Math.max(backOff, error.retryAfterMs ?? 0);
    const hasWaited = error.code === "timeout" && Date.now() - startedAt > MAX_RETRY_WAIT_MS;
    const mayRetry = attempts < maxAttempts && ms <= MAX_RETRY_WAIT_MS && !hasWaited;
    return mayRetry ? wait(ms, signal) : undefined;
  });
};
