import { isJsonObject, type JsonObject, type RequestOptions } from "../http/index.js";
import type { LoginRequest } from "../legacy/login.js";
import type { LoginFlows } from "../legacy/login-flows.js";
import type { SsoRedirectOptions } from "../legacy/sso-login.js";
import type { Auth, LoginResponse, LoginToken, RefreshedTokens } from "./api-types.js";
import { isString, loaded, pathPart, requireMember } from "./homeserver-connection.js";
import { ThreePidClient } from "./threepid-client.js";

/** The calls that sign in and out by the legacy API. */
export class LoginClient extends ThreePidClient {
  /**
   * Gets a token with which another device can sign in once.
   *
   * @returns `login_token`, and `expires_in_ms`: its lifetime in milliseconds.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv1loginget_token
   */
  requestLoginToken(auth?: Auth, options?: RequestOptions): Promise<LoginToken> {
    return this.request("POST", "v1/login/get_token", { auth }, options).then(
      requireMember("login_token", isString),
    );
  }

  /**
   * Gets the ways to sign in by the legacy API; sent without the access token. A homeserver that knows none
   * (404 `M_UNRECOGNIZED`) has an empty list.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3login
   */
  async getLoginFlows(options?: RequestOptions): Promise<LoginFlows> {
    const { fetchLoginFlows } = await loaded(import("./fetch-login-flows.js"));
    return fetchLoginFlows(this.url("v3/login"), this.complete(options));
  }

  /**
   * Signs in by the legacy API, and asks for a refresh token; sent without the access token.
   *
   * @param body an object: callers of matrix-js-sdk's method would pass a type there, and get a `TypeError`.
   * @throws {MatrixError} for example `M_FORBIDDEN`, `M_USER_DEACTIVATED`, `M_LIMIT_EXCEEDED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3login
   */
  async login(body: LoginRequest, options?: RequestOptions): Promise<LoginResponse> {
    if (!isJsonObject(body)) throw new TypeError("login() takes the body of the request");
    const whole = { refresh_token: true, ...body };
    const response = await this.request("POST", "v3/login", whole, options, true);
    for (const member of ["user_id", "device_id", "access_token"]) {
      requireMember(member, isString)(response);
    }
    return response as LoginResponse;
  }

  /**
   * Where single sign-on begins, in the user's own browser.
   *
   * @param redirectUrl where the homeserver sends the user, with a `loginToken`.
   * @throws {TypeError} if `baseUrl` is not an https URL or `idpId` does not fit in a path.
   * @see https://spec.matrix.org/v1.19/client-server-api/#redirecting-to-the-authentication-server
   */
  ssoRedirectUrl(redirectUrl: string, options: SsoRedirectOptions = {}): string {
    const { idpId, action } = options;
    const query = new URLSearchParams({ redirectUrl, ...(action && { action }) });
    return this.url(`v3/login/sso/redirect${idpId ? `/${pathPart(idpId)}` : ""}?${query}`);
  }

  /**
   * Signs out all of the account's devices.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3logoutall
   */
  logoutAll(options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/logout/all", {}, options);
  }

  /**
   * Signs out the access token's device.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3logout
   */
  logout(options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/logout", {}, options);
  }

  /**
   * Exchanges a refresh token of the homeserver's own, from a login by password or token; sent without the
   * access token. An `OidcSession` refreshes by itself.
   *
   * @throws {MatrixError} for example `M_UNKNOWN_TOKEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3refresh
   */
  async refreshToken(refreshToken: string, options?: RequestOptions): Promise<RefreshedTokens> {
    const body = { refresh_token: refreshToken };
    const response = await this.request("POST", "v3/refresh", body, options, true).then(
      requireMember("access_token", isString),
    );
    const { refresh_token, expires_in_ms } = response;
    return {
      ...response,
      refresh_token: isString(refresh_token) ? refresh_token : undefined,
      expires_in_ms: typeof expires_in_ms === "number" ? expires_in_ms : undefined,
    };
  }
}
