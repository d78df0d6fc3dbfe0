import {
  isJsonObject,
  isText,
  type JsonObject,
  type JsonResponse,
  reasonIn,
  RequestError,
  retryAfterMs,
} from "../http/index.js";

/**
 * A homeserver's refusal.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#standard-error-response
 */
export class MatrixError extends Error {
  override readonly name = "MatrixError";
  readonly httpStatus: number;
  /** For example `M_UNKNOWN_TOKEN`; undefined if the response was not a Matrix error. */
  readonly errcode: string | undefined;
  /** The whole body. */
  readonly data: JsonObject;
  /** How long the homeserver asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Why the homeserver refused, in its own words. */
  readonly reason: string | undefined;

  /** Also true for another copy of the class: a page may have one in each bundle that it loads. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { name } = Object(value) as Partial<Error>;
    const isCopy = name === "MatrixError" && "errcode" in Object(value);
    return super[Symbol.hasInstance](value) || (this === MatrixError && isCopy);
  }

  constructor({ status, body, headers }: Pick<JsonResponse, "status" | "body" | "headers">) {
    const data = isJsonObject(body) ? body : {};
    const { errcode, error } = data;
    super(isText(error) ? error : `The homeserver responded with HTTP ${status}`);
    this.httpStatus = status;
    this.errcode = isText(errcode) ? errcode : undefined;
    this.data = data;
    this.retryAfterMs = retryAfterMs(headers, body);
    this.reason = reasonIn(body);
  }
}

/** Whether a homeserver refused for that reason. */
export const isRefusal = (error: unknown, errcode: string): error is MatrixError =>
  error instanceof MatrixError && error.errcode === errcode;

/** The body of a homeserver's successful response; throws its refusal as an error. */
export function bodyOrThrow(response: JsonResponse): JsonObject {
  if (!response.ok) throw new MatrixError(response);
  if (isJsonObject(response.body)) return response.body;
  throw new RequestError("response_not_json", "The homeserver responded without JSON", {
    httpStatus: response.status,
  });
}
