import { toBase64url } from "./base64url.js";

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
