/** A JSON object whose members have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The time that a server asks to wait, in milliseconds: the `Retry-After` header, which may be a
 * date, or Matrix's deprecated `retry_after_ms` in the body. Many servers do not expose the header
 * to pages on other origins.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#rate-limiting
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown): number | undefined {
  const header = headers?.get("Retry-After");
  if (header) {
    // Engines parse texts such as "1.5" as dates.
    const isDate = /^[a-z]/i.test(header);
    const ms = isDate ? Math.max(0, Date.parse(header) - Date.now()) : Number(header) * 1000;
    if (ms >= 0 && ms < Infinity) return ms;
  }
  return countIn(presentMembers(body)["retry_after_ms"]);
}

/** A number of something, which some servers send as text; undefined for any other value. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === "number" && count >= 0 && count < Infinity ? count : undefined;
}

/** Some servers send `null` or `""` for members that are not set, and `null` in lists. */
export const presentMembers = (value: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {})
      .filter(([, member]) => (member ?? "") !== "")
      .map(([name, member]) => [name, Array.isArray(member) ? member.filter(isPresent) : member]),
  );

const isPresent = (entry: unknown): boolean => entry !== null;

/** Whether an `error` is a code of OAuth 2.0. In Matrix it is a sentence. */
export const isOAuthCode = (error: unknown): boolean => isText(error) && /^[a-z_]+$/.test(error);

/** The server's own reason for a rejection: `error_description` (OAuth 2.0) or `error` (Matrix). */
export function reasonIn(body: unknown): string | undefined {
  const { error_description, error } = presentMembers(body);
  if (isText(error_description)) return error_description;
  return isText(error) && !isOAuthCode(error) ? error : undefined;
}

export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "";

export const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
