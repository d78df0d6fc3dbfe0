/** Encodes bytes as base64url (RFC 4648, section 5), without padding. */
export function toBase64url(bytes: ArrayBuffer): string {
  const text = [...new Uint8Array(bytes)].map((byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * A random string of `length` characters `A-Z a-z 0-9` from the system's cryptographic source. Each
 * has about six bits.
 *
 * @throws {RangeError} if `length` is not a whole number from 1 to 65536.
 */
export function secureRandomString(length: number): string {
  if (!Number.isInteger(length) || length < 1 || length > 65_536) {
    throw new RangeError("length must be a whole number from 1 to 65536");
  }
  let result = "";
  while (result.length < length) {
    const bytes = crypto.getRandomValues(new Uint8Array(256));
    // All 256 bytes are equally likely, so these 62 are also equally likely.
    result += String.fromCharCode(...bytes).replace(/[^a-z\d]/gi, "");
  }
  return result.slice(0, length);
}
