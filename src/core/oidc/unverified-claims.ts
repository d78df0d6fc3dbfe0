import { fromBase64url } from "../base64url.js";
import { isJsonObject, parseJson } from "../http/index.js";

/** The claims of an ID token that nobody has verified; none of what is no token. */
export function readClaims(idToken: string): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ""] = idToken.split(".");
    const claims = parseJson(fromBase64url(payload));
    return isJsonObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
