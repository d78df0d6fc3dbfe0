// Base64 as used by JSON Web Tokens and PKCE: RFC 4648, section 5, without padding.

/** Encodes bytes as base64url. */
export function toBase64url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Decodes base64url to text.
 *
 * @throws {DOMException} if the input is not base64url.
 * @throws {TypeError} if its bytes are not UTF-8.
 */
export const fromBase64url = (encoded: string): string =>
  new TextDecoder("utf-8", { fatal: true }).decode(bytesFromBase64url(encoded));

/**
 * Decodes base64url.
 *
 * @throws {DOMException} if the input is not base64url.
 */
function bytesFromBase64url(encoded: string): Uint8Array {
  const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}

/** More than anything needs. */
const MAX_LENGTH = 65_536;

/**
 * A random string of `length` characters `A-Z a-z 0-9` from the system's cryptographic source, each
 * worth about six bits.
 *
 * @throws {RangeError} if `length` is not a whole number from 1 to 65536.
 */
export function secureRandomString(length: number): string {
  if (!Number.isInteger(length) || length < 1 || length > MAX_LENGTH) {
    throw new RangeError("length must be a whole number from 1 to 65536");
  }
  let result = "";
  while (result.length < length) {
    // Base64 makes four characters of three bytes, of which some are left out: nearly always enough at once.
    const bytes = crypto.getRandomValues(new Uint8Array(3 * Math.ceil(length / 4) + 9));
    // Each of base64's 64 characters is equally likely; without two of them, so are the other 62.
    result += toBase64url(bytes.buffer).replace(/[-_]/g, "");
  }
  return result.slice(0, length);
}
