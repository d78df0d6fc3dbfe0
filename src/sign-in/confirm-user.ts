// Loaded on demand, because most pages don't set a user ID.
import type { AuthorizationCodeGrantResult, RequestOptions } from "../core/index.js";
import { asLoginError } from "../core/legacy/as-login-error.js";
import { isRequestCode, type LoginErrorCode } from "../core/legacy/errors.js";
import { assertRequested } from "../core/legacy/login.js";
import { requestMatrix } from "../core/matrix/request.js";
import { readWhoami } from "../core/matrix/whoami.js";
import type { OidcErrorCode } from "../core/oauth/error-codes.js";
import { requestFailed } from "../core/oauth/errors.js";

/** The OAuth 2.0 code for the reason that the homeserver does not confirm the user. */
function unconfirmedCode(code: LoginErrorCode): OidcErrorCode {
  if (code === "login_response_invalid") return "scope_not_granted";
  if (code === "user_mismatch" || isRequestCode(code)) return code;
  return "login_refused";
}

/**
 * Requests the owner of the tokens from the homeserver, before they are stored. A provider returns only the
 * device.
 *
 * @throws {OidcFlowError} `InvalidBearerTokenResponse`: `user_mismatch`; `scope_not_granted` for
 *   another device; `login_refused`; the codes of requests.
 */
export async function confirmUser(
  { homeserverUrl, tokenResponse, deviceId }: AuthorizationCodeGrantResult,
  expectedUserId?: string,
  options?: RequestOptions,
): Promise<string> {
  const accessToken = tokenResponse.access_token;
  try {
    const request = { ...options, accessToken };
    const found = await requestMatrix(homeserverUrl, "v3/account/whoami", request);
    const { user_id: userId, device_id } = readWhoami(found);
    assertRequested({ userId, deviceId: device_id }, { deviceId, expectedUserId });
    return userId;
  } catch (thrown) {
    const error = asLoginError(thrown);
    throw requestFailed("Invalid bearer token response", error, unconfirmedCode(error.code));
  }
}
