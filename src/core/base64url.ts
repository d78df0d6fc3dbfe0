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
 */
export function fromBase64url(encoded: string): string {
  const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
