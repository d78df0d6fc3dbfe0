import { hasSsoRecord } from "../../core/legacy/sso-records.js";
import { readSsoResponse } from "../../core/legacy/sso-response.js";
import { captureResponse, type CapturedResponse } from "../shared/captured-response.js";

/** The response to a login, of either kind, taken from the address bar. */
export type CapturedLogin =
  | { readonly kind: "oauth"; readonly response: CapturedResponse }
  | { readonly kind: "sso"; readonly url: string };

/**
 * Takes the response to a login that this tab has begun from the address bar; any other is left alone.
 * Synchronous, so that no request is sent with a code or a login token in the address bar.
 */
export function captureLogin(): CapturedLogin | undefined {
  const url = location.href;
  const sso = readSsoResponse(url);
  if (sso && hasSsoRecord(sso.state)) {
    history.replaceState(history.state, "", sso.rest);
    return { kind: "sso", url };
  }
  const response = captureResponse(url);
  return response && { kind: "oauth", response };
}
