// Base64 as JSON Web Tokens and PKCE have it: RFC 4648, section 5, without padding.

/** Writes bytes as base64url. */
export function toBase64url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Reads the text in base64url.
 *
 * @throws {DOMException} where it is none.
 */
export function fromBase64url(encoded: string): string {
  const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
