/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * How long a 429 asks to wait, in milliseconds: the header, which may be a date, else Matrix's
 * deprecated member of the body, which is all that a page on another origin can read of many
 * servers.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#rate-limiting
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown): number | undefined {
  const header = headers?.get("Retry-After");
  if (header) {
    const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
    if (Number.isFinite(ms)) return Math.max(0, ms);
  }
  const ms = isJsonObject(body) ? body["retry_after_ms"] : undefined;
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
