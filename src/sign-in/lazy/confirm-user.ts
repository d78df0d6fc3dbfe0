// Loaded on demand, because most pages name no user.
import { RequestErrorCode } from "../../core/http/errors.js";
import type { AuthorizationCodeGrantResult } from "../../core/index.js";
import { asLoginError, LoginError, type LoginErrorCode } from "../../core/legacy/errors.js";
import { assertRequested } from "../../core/legacy/login.js";
import { requestMatrix } from "../../core/matrix/request.js";
import { readWhoami } from "../../core/matrix/whoami.js";
import { OidcError, type OidcErrorCode, OidcFlowError } from "../../core/oauth/errors.js";

const REQUEST_CODES: readonly string[] = Object.values(RequestErrorCode);

/** The code of OAuth 2.0 for the reason that the homeserver confirms no user. */
function unconfirmedCode(code: LoginErrorCode | undefined): OidcErrorCode {
  if (code === "login_response_invalid") return "scope_not_granted";
  if (code === "user_mismatch" || isRequestCode(code)) return code;
  return "login_refused";
}

const isRequestCode = (code: string | undefined): code is RequestErrorCode =>
  code !== undefined && REQUEST_CODES.includes(code);

/**
 * Asks the homeserver whose tokens these are, before they are stored. A provider returns only the
 * device.
 *
 * @throws {OidcFlowError} `InvalidBearerTokenResponse`: `user_mismatch`; `scope_not_granted` for
 *   another device; `login_refused`; the codes of requests.
 */
export async function confirmUser(
  { homeserverUrl, tokenResponse, deviceId }: AuthorizationCodeGrantResult,
  expectedUserId: string,
): Promise<string> {
  const accessToken = tokenResponse.access_token;
  try {
    const found = await requestMatrix(homeserverUrl, "v3/account/whoami", { accessToken });
    const { user_id: userId, device_id } = readWhoami(found);
    assertRequested({ userId, deviceId: device_id }, { deviceId, expectedUserId });
    return userId;
  } catch (thrown) {
    const error = asLoginError(thrown);
    const code = unconfirmedCode(error instanceof LoginError ? error.code : undefined);
    throw new OidcFlowError(OidcError.InvalidBearerTokenResponse, code, error);
  }
}
