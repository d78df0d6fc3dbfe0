const BRAND = Symbol.for("matrix-auth-elements/error");

export interface AuthErrorOptions extends ErrorOptions {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** What every error of this library is. */
export abstract class AuthError extends Error {
  /** The names of the errors of a class: a page may have a copy of it in each bundle that it loads. */
  declare protected static readonly names: readonly string[];
  /** The HTTP status, if there was a response. */
  declare readonly httpStatus: number | undefined;
  /** How long the server asks to wait before the next attempt, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** Why the server refused, in its own words. */
  declare readonly reason: string | undefined;

  /** Also true for another copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isCopy = (error: Error): boolean =>
      BRAND in error && Object.hasOwn(this, "names") && this.names.includes(error.name);
    return super[Symbol.hasInstance](value) || isCopy(Object(value) as Error);
  }

  constructor(message: string, options: AuthErrorOptions) {
    super(message, options);
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
  }

  get [BRAND](): true {
    return true;
  }
}
