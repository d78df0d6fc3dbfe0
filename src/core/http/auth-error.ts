const BRAND = Symbol.for("matrix-auth-elements/error");

export type AuthErrorOptions = ErrorOptions &
  Partial<Pick<AuthError, "httpStatus" | "retryAfterMs" | "reason">>;

/** The base of all errors of this library. */
export abstract class AuthError extends Error {
  /** The `name` values of the errors of this class and its subclasses. */
  declare protected static readonly names: readonly string[];
  /** The HTTP status, if there was a response. */
  declare readonly httpStatus: number | undefined;
  /** The time that the server asks to wait before the next attempt, in milliseconds: at most a day. */
  declare readonly retryAfterMs: number | undefined;
  /** The server's own reason for rejecting. */
  declare readonly reason: string | undefined;

  /** Also accepts errors from another copy of the class: each bundle on a page may have its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isCopy = (error: Error) =>
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
