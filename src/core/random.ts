const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The largest multiple of the alphabet's length in a byte: bytes from here on would be biased. */
const UNBIASED = 256 - (256 % ALPHABET.length);

/**
 * A random string of `length` characters `A-Z a-z 0-9` from the system's cryptographic source, each
 * about six bits.
 *
 * @throws {RangeError} where `length` is no whole number from 1 to 65536.
 */
export function secureRandomString(length: number): string {
  if (!Number.isInteger(length) || length < 1 || length > 65_536) {
    throw new RangeError("length must be a whole number from 1 to 65536");
  }
  let result = "";
  while (result.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length - result.length))) {
      if (byte < UNBIASED) result += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return result;
}
