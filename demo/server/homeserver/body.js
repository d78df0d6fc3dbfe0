// @ts-check
import { text } from "node:stream/consumers";
import { MatrixError, notJson } from "./errors.js";

/**
 * Reads a request's JSON object; an empty one if there is no body.
 *
 * @param {{ req: import("node:http").IncomingMessage }} ctx
 * @returns {Promise<Record<string, unknown>>} throws a MatrixError
 */
export async function readOptionalObject(ctx) {
  const { "content-length": length, "transfer-encoding": encoding } = ctx.req.headers;
  return length === "0" || (length === undefined && encoding === undefined) ? {} : readObject(ctx);
}

/** What a member of a body has to be; with a question mark it may be left out. */
const KINDS = {
  text: /** @type {(value: unknown) => boolean} */ ((value) => typeof value === "string"),
  texts: /** @type {(value: unknown) => boolean} */ (
    (value) => Array.isArray(value) && value.every((each) => typeof each === "string")
  ),
  number: /** @type {(value: unknown) => boolean} */ ((value) => Number.isInteger(value)),
  flag: /** @type {(value: unknown) => boolean} */ ((value) => typeof value === "boolean"),
};

/**
 * Checks the members of a body before anything is done, as Synapse does.
 *
 * @param {Record<string, unknown>} body
 * @param {Record<string, keyof typeof KINDS | `${keyof typeof KINDS}?`>} members
 * @returns {void} throws a MatrixError
 */
export function assertMembers(body, members) {
  for (const [name, wanted] of Object.entries(members)) {
    const kind = /** @type {keyof typeof KINDS} */ (wanted.replace("?", ""));
    if (body[name] === undefined) {
      if (wanted.endsWith("?")) continue;
      throw new MatrixError(400, "M_MISSING_PARAM", `${name} is missing`);
    }
    if (!KINDS[kind](body[name])) {
      throw new MatrixError(400, "M_BAD_JSON", `${name} is not what it has to be`);
    }
  }
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
