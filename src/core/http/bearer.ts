/** What fits in a header. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[!-~]+$/.test(value);

/**
 * What the `Authorization` header has of an access token.
 *
 * @throws {TypeError} if it fits in no header: `fetch` would refuse it too, but with the token in its error.
 */
export function bearer(token: string): string {
  if (!isToken(token)) throw new TypeError("The access token fits in no header");
  return `Bearer ${token}`;
}
