// @ts-check

/** A response that is a Matrix error: `errcode` and `error`, and more fields where one has them. */
export class MatrixError extends Error {
  /**
   * @param {number} status
   * @param {string} errcode
   * @param {string} error
   * @param {Record<string, unknown>} [more]
   */
  constructor(status, errcode, error, more = {}) {
    super(error);
    this.name = "MatrixError";
    this.status = status;
    // A request for User-Interactive Authentication is not an error.
    this.body = errcode ? { errcode, error, ...more } : more;
  }
}

/** @param {404 | 405} status */
export const unrecognized = (status = 404) =>
  new MatrixError(status, "M_UNRECOGNIZED", "Unrecognized request");

/** @param {string} error */
export const notFound = (error) => new MatrixError(404, "M_NOT_FOUND", error);

/** @param {string} error */
export const forbidden = (error) => new MatrixError(403, "M_FORBIDDEN", error);

export const missingToken = () => new MatrixError(401, "M_MISSING_TOKEN", "Missing access token");

export const unknownToken = () =>
  new MatrixError(401, "M_UNKNOWN_TOKEN", "Token is not active", { soft_logout: false });

/** The device stays: the client may sign in to it again. */
export const expiredToken = () =>
  new MatrixError(401, "M_UNKNOWN_TOKEN", "Access token has expired", { soft_logout: true });

export const lockedUser = () =>
  new MatrixError(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });

export const internalError = () => new MatrixError(500, "M_UNKNOWN", "Internal server error");

export const notJson = () => new MatrixError(400, "M_NOT_JSON", "Content not JSON.");

/**
 * Sends every error as JSON, and whatever no route took as `M_UNRECOGNIZED`.
 *
 * @returns {import("koa").Middleware}
 */
export function sendErrors() {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) throw unrecognized();
    } catch (error) {
      const known = error instanceof MatrixError ? error : internalError();
      if (known !== error) ctx.app.emit("error", error, ctx);
      ctx.status = known.status;
      ctx.body = known.body;
      const { retry_after_ms: ms } = /** @type {Record<string, unknown>} */ (known.body);
      if (typeof ms === "number") ctx.set("Retry-After", String(Math.ceil(ms / 1000)));
    }
  };
}
