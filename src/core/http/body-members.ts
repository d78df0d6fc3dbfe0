import { isText, presentMembers } from "./json.js";
import type * as Secrets from "./secrets.js";

/** Loads the code that masks secrets in errors, which most pages never need. A worker, which can't load it later, replaces this. */
export const masking: { load: () => Promise<typeof Secrets> } = {
  load: () => import("./secrets.js"),
};

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
    // Engines parse strings such as "1.5" as dates.
    const isDate = /^[a-z]/i.test(header);
    const ms = isDate ? Math.max(0, Date.parse(header) - Date.now()) : Number(header) * 1000;
    if (ms >= 0 && ms < Infinity) return ms;
  }
  return countIn(presentMembers(body)["retry_after_ms"]);
}

/** A number. Some servers send it as a string. Undefined for any other value. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === "number" && count >= 0 && count < Infinity ? count : undefined;
}

/** Whether an `error` is a code of OAuth 2.0. In Matrix it is a sentence. */
export const isOAuthCode = (error: unknown): boolean => isText(error) && /^[a-z_]+$/.test(error);

/** The server's own reason for a rejection: `error_description` (OAuth 2.0) or `error` (Matrix). */
export function reasonIn(body: unknown): string | undefined {
  const { error_description, error } = presentMembers(body);
  if (isText(error_description)) return error_description;
  return isText(error) && !isOAuthCode(error) ? error : undefined;
}
