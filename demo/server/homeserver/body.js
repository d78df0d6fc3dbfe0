// @ts-check
import { text } from "node:stream/consumers";
import { MatrixError, notJson } from "./errors.js";

/**
 * Reads a request's JSON object; where there is no body, an empty one.
 *
 * @param {{ req: import("node:http").IncomingMessage }} ctx
 * @returns {Promise<Record<string, unknown>>} throws a MatrixError
 */
export async function readOptionalObject(ctx) {
  const { "content-length": length, "transfer-encoding": encoding } = ctx.req.headers;
  return length === "0" || (length === undefined && encoding === undefined) ? {} : readObject(ctx);
}

/**
 * Reads a request's JSON object. The content type does not matter: Matrix servers do not look at it.
 *
 * @param {{ req: import("node:http").IncomingMessage }} ctx
 * @returns {Promise<Record<string, unknown>>} throws a MatrixError
 */
export async function readObject(ctx) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(await text(ctx.req));
  } catch {
    throw notJson();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MatrixError(400, "M_BAD_JSON", "Content must be a JSON object.");
  }
  return /** @type {Record<string, unknown>} */ (value);
}
