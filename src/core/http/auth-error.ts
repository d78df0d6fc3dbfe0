const BRAND = Symbol.for("matrix-auth-elements/error");

export interface AuthErrorOptions extends ErrorOptions {
  readonly httpStatus?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** What every error of this library is. */
export abstract class AuthError extends Error {
  /** The names of the errors of a class: a page may have a copy of it in each bundle that it loads. */
  protected static readonly names: readonly string[] = [];
  /** The HTTP status, if there was a response. */
  readonly httpStatus: number | undefined;
  /** How long the server asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Why the server refused, in its own words. */
  readonly reason: string | undefined;

  /** Also true for another copy of the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    if (!(BRAND in Object(value))) return false;
    const { name } = value as Error;
    return this === AuthError || (Object.hasOwn(this, "names") && this.names.includes(name));
  }

  constructor(message: string, options: AuthErrorOptions = {}) {
    super(message, options);
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
  }

  get [BRAND](): true {
    return true;
  }
}
