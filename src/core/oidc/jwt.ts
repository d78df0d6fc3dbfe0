import { fromBase64url } from "../base64url.js";
import { isJsonObject, parseJson, type JsonObject } from "../http/index.js";

/**
 * The header and the claims of a JSON Web Token that nobody has verified. What is no JSON object is empty.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-3
 */
export function decodeJwt(token: string): {
  readonly header: JsonObject;
  readonly claims: JsonObject;
} {
  const [header, claims] = token.split(".");
  return { header: decodeObject(header), claims: decodeObject(claims) };
}

function decodeObject(part = ""): JsonObject {
  try {
    const value = parseJson(fromBase64url(part));
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // It is no base64url, or no UTF-8.
  }
}
