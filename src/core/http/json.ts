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
 * Prototype and other old script libraries add a `toJSON()` to all arrays that converts each to a
 * string.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: JsonObject, name, member: unknown) {
    const own = this[name];
    return Array.isArray(own) ? own : member;
  });
}

/** Some servers send `null` or `""` for members that are not set, and `null` in lists. */
export const presentMembers = (value: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {})
      .filter(([, member]) => (member ?? "") !== "")
      .map(([name, member]) => [name, Array.isArray(member) ? member.filter(isPresent) : member]),
  );

const isPresent = (entry: unknown): boolean => entry !== null;

export const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "";

export const textIn = (value: unknown): string | undefined => (isText(value) ? value : undefined);

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
