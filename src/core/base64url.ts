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
export function bytesFromBase64url(encoded: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}
