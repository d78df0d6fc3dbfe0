import { type RequestOptions, withTimeout } from "../http/fetch.js";
import { lifetimeIn } from "../http/body-members.js";
import { isText, type JsonObject } from "../http/json.js";
import { logOut, requestMatrix } from "../matrix/request.js";
import { isDeviceId, isHeaderToken, isUserId } from "../shared/identifiers.js";
import { asLoginError } from "./as-login-error.js";
import { LoginError, type LoginErrorCode } from "./errors.js";

/**
 * The user who signs in: `user` is a localpart or a user ID; `country` is a two-letter ISO 3166-1
 * code.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#identifier-types
 */
export type UserIdentifier =
  | { readonly type: "m.id.user"; readonly user: string }
  | { readonly type: "m.id.thirdparty"; readonly medium: "email"; readonly address: string }
  | { readonly type: "m.id.phone"; readonly country: string; readonly phone: string };

/** The body of `POST /login`. */
export type LoginRequest = {
  readonly device_id?: string | undefined;
  readonly initial_device_display_name?: string | undefined;
} & (
  | {
      readonly type: "m.login.password";
      readonly identifier: UserIdentifier;
      readonly password: string;
    }
  | { readonly type: "m.login.token"; readonly token: string }
);

/** The result of a legacy sign-in. */
export interface LegacyLoginResult {
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly accessToken: string;
  /** Undefined if the access token never expires. */
  readonly refreshToken?: string;
  /** When the access token expires, in seconds since the epoch. */
  readonly expiresAt?: number;
  /** The `appState` of `startSsoLogin`. */
  readonly appState?: Readonly<Record<string, string>>;
}

export interface LegacyLoginSettings {
  /** The base of the client-server API. */
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string | undefined;
  /** The device to sign in with, for example after a soft logout. Default: a new one. */
  readonly deviceId?: string | undefined;
  /** The new device's name, for the user's list of devices. */
  readonly deviceName?: string | undefined;
  /** The user who must sign in. A different user is signed out, with the error `user_mismatch`. */
  readonly expectedUserId?: string | undefined;
}

/** @param forbidden The code for `M_FORBIDDEN`. @throws {LoginError} */
export async function logIn(
  credentials: JsonObject,
  forbidden: LoginErrorCode,
  settings: LegacyLoginSettings,
  options: RequestOptions = {},
): Promise<LegacyLoginResult> {
  // The signal ends only the wait, because a sign-in that succeeds after an abort must be undone.
  const { signal, ...limits } = options;
  const { homeserverUrl, deviceId, deviceName } = settings;
  const requestLogin = async () => {
    const body = {
      ...credentials,
      device_id: deviceId || undefined,
      initial_device_display_name: deviceName || undefined,
      refresh_token: true,
    };
    const requestedAt = Date.now();
    const request = { method: "POST", body } as const;
    const response = await requestMatrix(homeserverUrl, "v3/login", request, limits);
    return useLoginResponse(response, settings, requestedAt, options);
  };
  try {
    return await withTimeout(requestLogin, "the homeserver", { signal, timeoutMs: Infinity });
  } catch (error) {
    throw asLoginError(error, forbidden);
  }
}

/**
 * The result of a sign-in, or of a registration that signs in. If the page cannot use the result,
 * it signs out the device immediately. Exception: a device that the page named, if the sign-in was
 * only cancelled.
 *
 * @param requestedAt In milliseconds since the epoch.
 * @throws {LoginError} `login_response_invalid`, `user_mismatch`, `aborted`
 */
export async function useLoginResponse(
  response: JsonObject,
  settings: LegacyLoginSettings,
  requestedAt: number,
  { signal, ...limits }: RequestOptions = {},
): Promise<LegacyLoginResult> {
  const { homeserverUrl, identityServerUrl, deviceId } = settings;
  try {
    const { user_id: userId, device_id, access_token: accessToken } = response;
    if (!isHeaderToken(accessToken) || !isUserId(userId) || !isDeviceId(device_id)) {
      throw invalidResponse("contains no user, device, or token");
    }
    assertRequested({ userId, deviceId: device_id }, settings);
    if (signal?.aborted) throw new LoginError("aborted", "The sign-in was cancelled");
    const { refresh_token } = response;
    const lifetime = lifetimeIn(response["expires_in_ms"]);
    return {
      homeserverUrl,
      userId,
      deviceId: device_id,
      accessToken,
      ...(isText(refresh_token) && { refreshToken: refresh_token }),
      ...(lifetime !== undefined && { expiresAt: (requestedAt + lifetime) / 1000 }),
      ...(identityServerUrl && { identityServerUrl }),
    };
  } catch (error) {
    const { access_token } = response;
    // The device that the page named may have another session and its keys.
    const isKept = error instanceof LoginError && error.code === "aborted" && deviceId;
    if (isHeaderToken(access_token) && !isKept) {
      await logOut(homeserverUrl, access_token, limits).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * Confirms the user and the device. Every sign-in calls this before its session is stored. For a
 * password, single sign-on, or registration, the response names both. For OAuth 2.0, the homeserver
 * is asked for them.
 *
 * @throws {LoginError} `user_mismatch`; `login_response_invalid` for another device.
 */
export function assertRequested(
  granted: { readonly userId: string; readonly deviceId: string | undefined },
  { deviceId, expectedUserId }: Pick<LegacyLoginSettings, "deviceId" | "expectedUserId">,
): void {
  const { userId } = granted;
  if (expectedUserId && userId !== expectedUserId) {
    // Leave out the other ID: the server chose it, and it could be the password.
    throw new LoginError("user_mismatch", `Another user signed in instead of ${expectedUserId}`);
  }
  const isOther = deviceId && granted.deviceId !== undefined && granted.deviceId !== deviceId;
  if (isOther) throw invalidResponse("contains another device");
}

const invalidResponse = (problem: string): LoginError =>
  new LoginError("login_response_invalid", `The response ${problem}`);

export interface PasswordLogin extends LegacyLoginSettings {
  readonly identifier: UserIdentifier;
  readonly password: string;
}

/**
 * Signs in with a password, and requests a refresh token. It follows no redirect, and ignores a
 * homeserver that the response names.
 *
 * @throws {LoginError} `credentials_invalid`, `user_deactivated`, `user_locked`, `rate_limited`,
 *   `login_not_supported`, `login_refused`, `login_response_invalid`, `user_mismatch`, and the
 *   codes of requests.
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3login
 * @experimental
 */
export async function loginWithPassword(
  { identifier, password, ...settings }: PasswordLogin,
  options?: RequestOptions,
): Promise<LegacyLoginResult> {
  if (!isText(password)) throw new LoginError("settings_invalid", "The password is missing");
  const credentials = { type: "m.login.password", identifier, password };
  return logIn(credentials, "credentials_invalid", settings, options);
}
