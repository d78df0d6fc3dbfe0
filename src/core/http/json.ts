/** A JSON object whose members have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * How long a 429 asks to wait, in milliseconds: from the `Retry-After` header, which may be a date, or
 * from Matrix's deprecated `retry_after_ms` in the body. Many servers do not expose the header to pages
 * on another origin.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#rate-limiting
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown): number | undefined {
  const header = headers?.get("Retry-After");
  if (header) {
    // Engines take many a text for a date, such as "1.5".
    const isDate = /^[a-z]/i.test(header);
    const ms = isDate ? Math.max(0, Date.parse(header) - Date.now()) : Number(header) * 1000;
    if (ms >= 0 && ms < Infinity) return ms;
  }
  const ms = presentMembers(body)["retry_after_ms"];
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

/**
 * The members of an object that are set. Some servers write those that are not set as `null` or `""`.
 *
 * @returns An empty object for anything that is not an object.
 */
export const presentMembers = (value: unknown): JsonObject =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => (member ?? "") !== ""))
    : {};

/** OAuth 2.0's codes, which some servers write where Matrix has a sentence. */
const CODE = /^[a-z_]+$/;

/** Why a server refused, in its own words: `error_description` (OAuth 2.0) or `error` (Matrix); undefined without any. */
export function reasonIn(body: unknown): string | undefined {
  const { error_description, error } = presentMembers(body);
  if (isText(error_description)) return error_description;
  return isText(error) && !CODE.test(error) ? error : undefined;
}

/** Whether a value is a string that is not empty. */
export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "";

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
