import { SSO_LOGINS, withoutSsoResponse } from "../../core/legacy/sso-response.js";
import { hasRecord } from "../../core/tab-records.js";
import { captureResponse, type CapturedResponse } from "../shared/captured-response.js";

/** The response to a login, of either kind, taken from the address bar. */
export type CapturedLogin =
  | { readonly method: "oauth"; readonly response: CapturedResponse }
  | { readonly method: "sso"; readonly url: string };

/** The login that the page has come back from, until an element has told the page how it ended. */
export const captured: { login?: CapturedLogin | undefined } = {};

/**
 * Takes the response to a login from the address bar; one that this tab did not ask for is left alone.
 * Synchronous, so that no request is sent with a code or a login token in the address bar.
 */
export function captureLogin(): void {
  const url = location.href;
  const { searchParams } = new URL(url);
  const state = searchParams.get("state");
  if (state && searchParams.has("loginToken") && hasRecord(SSO_LOGINS, state)) {
    history.replaceState(history.state, "", withoutSsoResponse(url));
    captured.login = { method: "sso", url };
  } else {
    const response = captureResponse(url);
    if (response) captured.login = { method: "oauth", response };
  }
}
