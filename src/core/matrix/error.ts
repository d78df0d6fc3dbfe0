import { AuthError } from "../http/auth-error.js";
import { reasonIn, retryAfterMs } from "../http/body-members.js";
import { isJsonObject, isText, type JsonObject, textIn } from "../http/json.js";

/**
 * An error response of a homeserver.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#standard-error-response
 */
export class MatrixError extends AuthError {
  protected static override readonly names: readonly string[] = ["MatrixError"];
  override readonly name = "MatrixError";
  declare readonly httpStatus: number;
  /**
   * The error code, for example `M_UNKNOWN_TOKEN`. Undefined if the response was not a Matrix
   * error.
   */
  readonly errcode: string | undefined;
  /** The whole body of the response. */
  readonly data: JsonObject;

  constructor({ status, body, headers }: { status: number; body: unknown; headers?: Headers }) {
    const data = isJsonObject(body) ? body : {};
    const { errcode, error } = data;
    super(isText(error) ? error : `The homeserver responded with HTTP ${status}`, {
      httpStatus: status,
      retryAfterMs: retryAfterMs(headers, body),
      reason: reasonIn(body),
    });
    this.errcode = textIn(errcode);
    this.data = data;
  }

  /** The `errcode`, or `unexpected_status`, as for every other error of the library. */
  get code(): string {
    return this.errcode ?? "unexpected_status";
  }
}

/** Whether the homeserver has rejected a request with this code. */
export const isRefusal = (error: unknown, errcode: string): error is MatrixError =>
  error instanceof MatrixError && error.errcode === errcode;
