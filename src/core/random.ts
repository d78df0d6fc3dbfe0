const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The largest multiple of the alphabet's length in a byte: bytes from here on would be biased. */
const UNBIASED = 256 - (256 % ALPHABET.length);
/** The most bytes that one call of `crypto.getRandomValues()` gives. */
const MAX_DRAW = 65_536;

/**
 * A random string of `length` characters `A-Z a-z 0-9` from the system's cryptographic source, each
 * worth about six bits.
 *
 * @throws {RangeError} if `length` is not a whole number from 1 to 65536.
 */
export function secureRandomString(length: number): string {
  if (!Number.isInteger(length) || length < 1 || length > MAX_DRAW) {
    throw new RangeError("length must be a whole number from 1 to 65536");
  }
  let result = "";
  while (result.length < length) {
    // A few more than are missing: some will be biased, and a second call costs more than spare bytes.
    const count = Math.min((length - result.length) * 1.25 + 4, MAX_DRAW);
    for (const byte of crypto.getRandomValues(new Uint8Array(count))) {
      if (byte < UNBIASED) result += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return result.slice(0, length);
}
