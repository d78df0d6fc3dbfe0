import { isText, presentMembers } from "./json.js";
import type * as Secrets from "./secrets.js";

/** Loads the code that masks secrets in errors, which most pages never need. A worker, which can't load it later, replaces this. */
export const masking: { load: () => Promise<typeof Secrets> } = {
  load: () => import("./secrets.js"),
};

/** The longest time that a server can make a user or a session wait, in milliseconds. */
export const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * The time that a server asks to wait, in milliseconds, at most {@link MAX_WAIT_MS}: the
 * `Retry-After` header, which may be a date, or Matrix's deprecated `retry_after_ms` in the body.
 * Many servers do not expose the header to pages on other origins. A wait of 0, or a date that is
 * past, says nothing.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#rate-limiting
 */
export function retryAfterMs(headers: Headers | undefined, body: unknown): number | undefined {
  const header = headers?.get("Retry-After");
  // Engines parse strings such as "1.5" as dates.
  const ms =
    header && /^[a-z]/i.test(header)
      ? Date.parse(header) - Date.now()
      : Number(header || NaN) * 1000;
  const { retry_after_ms } = presentMembers(body);
  return [ms, retry_after_ms].map((each) => countIn(each, MAX_WAIT_MS)).find(Boolean);
}

/**
 * A number, at most `most`. Some servers send it as a string. Undefined for any other value.
 *
 * @param most Default: more than any size in bytes, or time in seconds. As seconds, it is still a
 *   valid date.
 */
export function countIn(value: unknown, most = 1e12): number | undefined {
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  const isCount = typeof count === "number" && count >= 0 && count < Infinity;
  return isCount ? Math.min(count, most) : undefined;
}

/** The lifetime of a token. Some servers send 0 for a token that doesn't expire. */
export const lifetimeIn = (value: unknown): number | undefined => countIn(value) || undefined;

export const isListOfStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Whether an `error` is a code of OAuth 2.0. In Matrix it is a sentence. */
export const isOAuthCode = (error: unknown): boolean => isText(error) && /^[a-z_]+$/.test(error);

/** The server's own reason for a rejection: `error_description` (OAuth 2.0) or `error` (Matrix). */
export function reasonIn(body: unknown): string | undefined {
  const { error_description, error } = presentMembers(body);
  if (isText(error_description)) return error_description;
  return isText(error) && !isOAuthCode(error) ? error : undefined;
}
