import { RequestError } from "../http/errors.js";
import { type RequestOptions, withTimeout } from "../http/fetch.js";
import { countIn } from "../http/body-members.js";
import { isJsonObject, isText, type JsonObject, presentMembers, textIn } from "../http/json.js";
import { pathPart } from "../http/path-part.js";
import { readBaseUrl } from "../http/url.js";
import type { AbortOptions } from "../http/wait.js";
import type { LoginRequest } from "../legacy/login.js";
import type { SsoLogin } from "../legacy/sso.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import type { OidcClientConfig } from "../oauth/metadata.js";
import type { AuthDict } from "../uia/options.js";
import { secureRandomString } from "../shared/base64url.js";
import { isDeviceId, isUserId } from "../shared/identifiers.js";
import { type AccessTokenSource, withToken } from "./access-token.js";
import type {
  BootstrapCrossSigningOptions,
  Device,
  EmailTokenRequest,
  LoginResponse,
  MediaConfig,
  MsisdnTokenRequest,
  Profile,
  RegisterRequest,
  Registration,
  RequestTokenResponse,
  ThreePid,
  ThumbnailSize,
  UploadOptions,
  Whoami,
} from "./api-types.js";
import type { AuthMetadataOptions } from "./auth-metadata.js";
import type { CrossSigningKeys, CrossSigningResult } from "./cross-signing-keys.js";
import { isRefusal } from "./error.js";
import type { LoginFlows } from "./login-flows.js";
import type * as mediaRequests from "./media.js";
import { matrixUrl, requestMatrix, ssoRedirectUrl } from "./request.js";
import { readWhoami } from "./whoami.js";

export interface HomeserverClientOptions extends Pick<RequestOptions, "fetch" | "timeoutMs"> {
  /** The base of the client-server API. */
  readonly baseUrl: string;
  readonly accessToken?: string | undefined;
  /** The source of the access token for each request, instead of `accessToken`. */
  readonly session?: AccessTokenSource | undefined;
  /** The token's owner, if available. Default: the session's user. */
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
}

/**
 * The parts of a homeserver's client-server API that sign-in and User-Interactive Authentication
 * need.
 *
 * Every method sends one complete request, with the access token if the endpoint requires one. It
 * rejects with a {@link MatrixError} if the homeserver rejects the request, and with a
 * {@link RequestError} if there is no usable response. It rejects with a `TypeError` if `baseUrl`
 * is not a URL that a token may be sent to, or if an identifier can't be part of a path. With a
 * `session`, it also rejects with the session's errors. If a method takes `auth`, null and
 * undefined send no `auth`. The error may then be a 401 whose `data.flows` contains the stages.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/
 */
export class HomeserverClient {
  readonly accessToken: string | undefined;
  readonly #baseUrl: string;
  readonly #owner: Pick<HomeserverClientOptions, "userId" | "deviceId">;
  readonly #session: AccessTokenSource | undefined;
  readonly #defaults: RequestOptions;

  /** @throws {TypeError} if the session is for another homeserver. */
  constructor(options: HomeserverClientOptions) {
    const { baseUrl, accessToken, session, fetch, timeoutMs } = options;
    const own = session?.homeserverUrl;
    this.#baseUrl = asBaseUrl(baseUrl);
    if (own && readBaseUrl(own) !== this.#baseUrl)
      throw new TypeError(`The session is for ${own}, not for ${baseUrl}`);
    this.accessToken = accessToken;
    this.#owner = options;
    this.#session = session;
    this.#defaults = { fetch, timeoutMs };
  }

  /** Vue would wrap a plain `Object` in a proxy, which can't use private members. @internal */
  get [Symbol.toStringTag](): string {
    return "HomeserverClient";
  }

  /** The base of the client-server API. If the session moves to another URL, it is that URL. */
  get baseUrl(): string {
    return asBaseUrl(this.#session?.homeserverUrl || this.#baseUrl);
  }

  /**
   * Whether `baseUrl` changes only if the session moves. It confirms the user and the device first.
   *
   * @internal
   */
  get followsSession(): boolean {
    return this.#session?.noteUnreachable !== undefined;
  }

  /** The owner of the access token, from the session or the options. */
  get userId(): string | undefined {
    return this.#session?.user?.userId ?? this.#owner.userId;
  }

  /** The device of the access token, from the session or the options. */
  get deviceId(): string | undefined {
    return this.#session?.user?.deviceId ?? this.#owner.deviceId;
  }

  // The account and its devices

  /**
   * Gets the metadata of the homeserver's authorization server, with its signing keys unless
   * `signingKeys` is false.
   *
   * @throws {OidcFlowError} `NotSupported`, `OpSupport`, `General`.
   */
  async getAuthMetadata(
    options?: AuthMetadataOptions & { readonly signingKeys?: boolean | undefined },
  ): Promise<OidcClientConfig> {
    const { fetchClientConfig } = await loadPart(import("./auth-metadata.js"));
    return fetchClientConfig(this.baseUrl, this.#withDefaults(options));
  }

  /**
   * Gets the owner of the access token.
   *
   * @throws {MatrixError} for example `M_UNKNOWN_TOKEN`.
   * @throws {RequestError} `response_not_json` if the user ID or the device ID is invalid.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
   */
  async whoami(options?: RequestOptions): Promise<Whoami> {
    const response = await this.#request("GET", "v3/account/whoami", undefined, options);
    return readWhoami(response);
  }

  /**
   * Lists the account's devices. The client that signs in chooses a device's ID and name, so IDs
   * can be invalid: check an ID before you show it, but don't omit the device. Only entries without
   * an ID are left out.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3devices
   */
  async getDevices(
    options?: RequestOptions,
  ): Promise<JsonObject & { readonly devices: readonly Device[] }> {
    const response = await this.#request("GET", "v3/devices", undefined, options);
    return requireList(response, "devices", "device_id");
  }

  /**
   * Renames one of the account's devices.
   *
   * @throws {MatrixError} `M_NOT_FOUND`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#put_matrixclientv3devicesdeviceid
   */
  async setDeviceDetails(
    deviceId: string,
    body: { readonly display_name: string },
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.#request("PUT", `v3/devices/${pathPart(deviceId)}`, body, options);
  }

  /**
   * Gets the homeserver's capabilities, by name: `{ "m.change_password": { enabled: true } }`. A
   * missing capability counts as enabled, unless an authorization server manages the accounts.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3capabilities
   */
  async getCapabilities(
    options?: RequestOptions,
  ): Promise<Readonly<Record<string, JsonObject | undefined>>> {
    const response = await this.#request("GET", "v3/capabilities", undefined, options);
    const { capabilities } = requireMember(response, "capabilities", isJsonObject, {});
    return presentMembers(capabilities) as Readonly<Record<string, JsonObject | undefined>>;
  }

  // The profile, and media

  /**
   * Gets a user's profile, or one field of it. If the user has no profile, the homeserver rejects
   * the request with `M_NOT_FOUND`.
   *
   * @param field Such as `displayname` or `avatar_url`. Default: all fields.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3profileuserid
   */
  async getProfileInfo(userId: string, field?: string, options?: RequestOptions): Promise<Profile> {
    const end = field === undefined ? "" : `/${pathPart(field)}`;
    const path = `v3/profile/${pathPart(userId)}${end}`;
    const response = await this.#request("GET", path, undefined, options);
    const { displayname, avatar_url } = response;
    return { ...response, displayname: textIn(displayname), avatar_url: textIn(avatar_url) };
  }

  /**
   * Sets the user's display name. An empty one removes it.
   *
   * @throws {MatrixError} for example `M_FORBIDDEN`, `M_LIMIT_EXCEEDED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#put_matrixclientv3profileuseridkeyname
   */
  setDisplayName(name: string, options?: RequestOptions): Promise<JsonObject> {
    return this.#setProfile("displayname", name, options);
  }

  /**
   * Sets the user's image.
   *
   * @param url The `mxc://` URL of an upload. An empty string removes the image.
   * @throws {MatrixError} for example `M_FORBIDDEN`, `M_LIMIT_EXCEEDED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#put_matrixclientv3profileuseridkeyname
   */
  setAvatarUrl(url: string, options?: RequestOptions): Promise<JsonObject> {
    return this.#setProfile("avatar_url", url, options);
  }

  /**
   * Gets the size limit for uploads. For homeservers before Matrix 1.11, it uses the old path.
   *
   * @param useAuthenticatedMedia If false, only the old path is used. Default: true.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv1mediaconfig
   */
  async getMediaConfig(
    useAuthenticatedMedia = true,
    options?: RequestOptions,
  ): Promise<MediaConfig> {
    return this.#media(options, ({ fetchMediaConfig }, accessToken, whole) =>
      fetchMediaConfig(this.baseUrl, useAuthenticatedMedia, accessToken, whole),
    );
  }

  /**
   * Uploads a file.
   *
   * @param options `timeoutMs` is for the whole upload; default: 10 minutes.
   * @returns `content_uri`: its `mxc://` URL.
   * @throws {MatrixError} for example `M_TOO_LARGE`, `M_FORBIDDEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixmediav3upload
   */
  async uploadContent(
    file: Blob,
    options: UploadOptions = {},
  ): Promise<JsonObject & { readonly content_uri: string }> {
    return this.#media(options, ({ uploadMedia }, accessToken, whole) =>
      uploadMedia(this.baseUrl, file, whole, accessToken),
    );
  }

  /**
   * Gets a smaller version of an image. For homeservers before Matrix 1.11, the request contains no
   * access token.
   *
   * @returns A PNG, JPEG, GIF, WebP, or AVIF image. The homeserver might send another size.
   * @throws {MatrixError} for example `M_NOT_FOUND`.
   * @throws {RequestError} `response_not_json` if the response isn't such an image, for example an SVG
   *   document, which might contain scripts; `response_too_large` if it is larger than 8 MiB.
   * @throws {TypeError} if `mxcUrl` is not an `mxc://` URL.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv1mediathumbnailservernamemediaid
   */
  async getThumbnail(mxcUrl: string, size: ThumbnailSize, options?: RequestOptions): Promise<Blob> {
    return this.#media(options, ({ fetchThumbnail }, accessToken, whole) =>
      fetchThumbnail(this.baseUrl, mxcUrl, size, accessToken, whole),
    );
  }

  /**
   * Signs out one of the account's devices and deletes it.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#delete_matrixclientv3devicesdeviceid
   */
  async deleteDevice(
    deviceId: string,
    auth?: AuthDict | null,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.#request("DELETE", `v3/devices/${pathPart(deviceId)}`, { auth }, options);
  }

  /**
   * Signs out several of the account's devices and deletes them.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3delete_devices
   */
  deleteMultipleDevices(
    devices: readonly string[],
    auth?: AuthDict | null,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.#request("POST", "v3/delete_devices", { devices, auth }, options);
  }

  /**
   * Sets the account's password.
   *
   * @param logoutDevices Whether to sign out all other devices. Default: true.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpassword
   */
  setPassword(
    auth: AuthDict | null | undefined,
    newPassword: string,
    logoutDevices?: boolean,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const body = { new_password: newPassword, logout_devices: logoutDevices, auth };
    return this.#request("POST", "v3/account/password", body, options);
  }

  /**
   * Deactivates the account permanently.
   *
   * @param erase Whether to hide the account's messages from users who join later.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountdeactivate
   */
  deactivateAccount(
    auth?: AuthDict | null,
    erase?: boolean,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.#request("POST", "v3/account/deactivate", { erase, auth }, options);
  }

  /**
   * Creates an account. The request has no access token.
   *
   * @param kind The homeserver's default is `user`. Any other value is a `TypeError`:
   *   matrix-js-sdk's method takes a password here, which would become part of the URL.
   * @throws {MatrixError} for example `M_USER_IN_USE`, `M_INVALID_USERNAME`, `M_FORBIDDEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3register
   */
  async register(
    body: RegisterRequest,
    kind?: "user" | "guest",
    options?: RequestOptions,
  ): Promise<Registration> {
    if (kind && !["user", "guest"].includes(kind))
      throw new TypeError("kind is neither user nor guest");
    const path = `v3/register${kind ? `?kind=${kind}` : ""}`;
    const response = await this.#request("POST", path, body, options, true);
    const { access_token, device_id, ...account } = presentMembers(response);
    return {
      ...requireMember(account, "user_id", isUserId),
      access_token: textIn(access_token),
      // If the request doesn't sign in, there is no device.
      device_id:
        device_id === undefined
          ? undefined
          : requireMember(response, "device_id", isDeviceId).device_id,
    };
  }

  /**
   * Checks whether a user name is available. The request has no access token.
   *
   * @throws {MatrixError} for example `M_INVALID_USERNAME`; never `M_USER_IN_USE`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3registeravailable
   */
  async isUsernameAvailable(username: string, options?: RequestOptions): Promise<boolean> {
    try {
      return await this.checkUsername(username, options);
    } catch (error) {
      if (isRefusal(error, "M_USER_IN_USE")) return false;
      throw error;
    }
  }

  /** Like {@link isUsernameAvailable}, but also throws the error for a taken name. @internal */
  async checkUsername(username: string, options?: RequestOptions): Promise<boolean> {
    const query = new URLSearchParams({ username }).toString();
    const path = `v3/register/available?${query}`;
    // A success status means that it is available, and the member isn't required.
    return (await this.#request("GET", path, undefined, options, true))["available"] !== false;
  }

  /**
   * Publishes cross-signing keys. For homeservers before Matrix 1.1, it uses the old path.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keysdevice_signingupload
   */
  async uploadDeviceSigningKeys(
    auth?: AuthDict | null,
    keys?: CrossSigningKeys,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const path = "/keys/device_signing/upload";
    const body = { ...keys, auth };
    try {
      return await this.#request("POST", `v3${path}`, body, options);
    } catch (error) {
      if (!isRefusal(error, "M_UNRECOGNIZED")) throw error;
      return this.#request("POST", `unstable${path}`, body, options);
    }
  }

  /**
   * Publishes signatures of devices and keys.
   *
   * @param content The signed objects, by user ID and by device ID or public key.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keyssignaturesupload
   */
  uploadKeySignatures(content: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#request("POST", "v3/keys/signatures/upload", content, options);
  }

  /**
   * Creates new cross-signing keys and publishes them. If you pass the device's own keys, it also
   * signs this client's device. The new keys replace older ones. Store them, because the homeserver
   * does not have the private keys.
   *
   * If the response to the upload is lost, the same keys are uploaded once more, which needs no
   * authentication if the homeserver has them (MSC3967).
   *
   * @returns The private keys, and the published ones.
   * @throws {CrossSigningUploadError} The homeserver might have the keys, which the error contains.
   * @throws the error of `authUploadDeviceSigningKeys`, unless the keys were uploaded before that;
   *   {@link OidcFlowError} `LoadFailed` if a part of the library cannot be loaded.
   * @see https://spec.matrix.org/v1.19/client-server-api/#cross-signing
   */
  async bootstrapCrossSigning(
    how: BootstrapCrossSigningOptions = {},
    options?: RequestOptions,
  ): Promise<CrossSigningResult> {
    const { bootstrapCrossSigning } = await loadPart(import("./cross-signing.js"));
    const query = (body: JsonObject): Promise<JsonObject> =>
      this.#request("POST", "v3/keys/query", body, options);
    return bootstrapCrossSigning(this, query, how, options);
  }

  /**
   * The URL of the homeserver's page for a stage.
   *
   * @throws {TypeError} if `baseUrl` is not an HTTPS URL or `type` cannot be part of a path.
   * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
   */
  getFallbackAuthUrl(type: string, session: string): string {
    const query = new URLSearchParams({ session }).toString();
    return matrixUrl(this.baseUrl, `v3/auth/${pathPart(type)}/fallback/web?${query}`);
  }

  /**
   * Generates the secret with which a client proves that it requested an email or a text message.
   */
  generateClientSecret(): string {
    return secureRandomString(32);
  }

  // The legacy API

  /**
   * Gets a single-use token that signs in another device.
   *
   * @returns `login_token`, and `expires_in_ms`: its lifetime in milliseconds.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv1loginget_token
   */
  async requestLoginToken(
    auth?: AuthDict | null,
    options?: RequestOptions,
  ): Promise<JsonObject & { readonly login_token: string }> {
    const response = await this.#request("POST", "v1/login/get_token", { auth }, options);
    return requireMember(response, "login_token", isText);
  }

  /**
   * Gets the sign-in methods of the legacy API. The list is empty for a homeserver without this API
   * (404 `M_UNRECOGNIZED`). The request has no access token.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3login
   */
  async getLoginFlows(options?: RequestOptions): Promise<LoginFlows> {
    const { fetchLoginFlows } = await loadPart(import("./login-flows.js"));
    return fetchLoginFlows(this.baseUrl, this.#withDefaults(options));
  }

  /**
   * Signs in with the legacy API, and requests a refresh token. The request has no access token.
   *
   * @param body An object. A type, which matrix-js-sdk's method takes here, is a `TypeError`.
   * @throws {MatrixError} for example `M_FORBIDDEN`, `M_USER_DEACTIVATED`, `M_LIMIT_EXCEEDED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3login
   */
  async login(body: LoginRequest, options?: RequestOptions): Promise<LoginResponse> {
    if (!isJsonObject(body)) throw new TypeError("login() requires the body of the request");
    const whole = { refresh_token: true, ...body };
    const response = await this.#request("POST", "v3/login", whole, options, true);
    requireMember(response, "user_id", isUserId);
    requireMember(response, "device_id", isDeviceId);
    requireMember(response, "access_token", isText);
    return presentMembers(response) as LoginResponse;
  }

  /**
   * The URL that starts single sign-on in the user's browser.
   *
   * @param redirectUrl The URL that the homeserver redirects to, with a `loginToken`.
   * @throws {TypeError} if `baseUrl` is not an HTTPS URL or `idpId` cannot be part of a path.
   * @see https://spec.matrix.org/v1.19/client-server-api/#redirecting-to-the-authentication-server
   */
  ssoRedirectUrl(redirectUrl: string, options?: Pick<SsoLogin, "idpId" | "action">): string {
    return ssoRedirectUrl(this.baseUrl, redirectUrl, options);
  }

  /**
   * Signs out all of the account's devices.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3logoutall
   */
  logoutAll(options?: RequestOptions): Promise<JsonObject> {
    return this.#request("POST", "v3/logout/all", {}, options);
  }

  /**
   * Signs out the access token's device.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3logout
   */
  logout(options?: RequestOptions): Promise<JsonObject> {
    return this.#request("POST", "v3/logout", {}, options);
  }

  /**
   * Exchanges a refresh token of the legacy API, from a sign-in with a password or token. The
   * request has no access token. An `OidcSession` refreshes its tokens automatically.
   *
   * @throws {MatrixError} for example `M_UNKNOWN_TOKEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3refresh
   */
  async refreshToken(
    refreshToken: string,
    options?: RequestOptions,
  ): Promise<
    JsonObject & {
      readonly access_token: string;
      readonly refresh_token: string | undefined;
      readonly expires_in_ms: number | undefined;
    }
  > {
    const body = { refresh_token: refreshToken };
    const response = await this.#request("POST", "v3/refresh", body, options, true);
    return {
      ...requireMember(response, "access_token", isText),
      refresh_token: textIn(response["refresh_token"]),
      expires_in_ms: countIn(response["expires_in_ms"]),
    };
  }

  // Email addresses and phone numbers

  /**
   * Lists the account's email addresses and phone numbers; each has `medium` and `address`.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3account3pid
   */
  async getThreePids(
    options?: RequestOptions,
  ): Promise<JsonObject & { readonly threepids: readonly ThreePid[] }> {
    const response = await this.#request("GET", "v3/account/3pid", undefined, options);
    return requireList(response, "threepids", "address");
  }

  /**
   * Adds a validated email address or phone number to the account.
   *
   * @throws {MatrixError} 401 with `flows` if the homeserver requires User-Interactive
   *   Authentication.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidadd
   */
  addThreePidOnly(
    body: {
      readonly sid: string;
      readonly client_secret: string;
      readonly auth?: AuthDict | null | undefined;
    },
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const { sid, client_secret, auth } = body;
    return this.#request("POST", "v3/account/3pid/add", { sid, client_secret, auth }, options);
  }

  /**
   * Removes an email address or a phone number from the account.
   *
   * @param medium `email` or `msisdn`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3piddelete
   */
  deleteThreePid(medium: string, address: string, options?: RequestOptions): Promise<JsonObject> {
    return this.#request("POST", "v3/account/3pid/delete", { medium, address }, options);
  }

  /**
   * Asks an identity server to publish an email address or a phone number that it has validated.
   *
   * @param body `sid` and `client_secret` are those of the identity server, not those for
   *   {@link addThreePidOnly}. `id_access_token` is null for old identity servers without access
   *   tokens.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidbind
   */
  bindThreePid(
    body: {
      readonly sid: string;
      readonly client_secret: string;
      readonly id_server: string;
      readonly id_access_token: string | null;
    },
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const { sid, client_secret, id_server, id_access_token } = body;
    const sent = { sid, client_secret, id_server, id_access_token };
    return this.#request("POST", "v3/account/3pid/bind", sent, options);
  }

  /**
   * Asks the identity server to remove an email address or a phone number that it published. The
   * account keeps it.
   *
   * @param medium `email` or `msisdn`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidunbind
   */
  async unbindThreePid(
    medium: string,
    address: string,
    options?: RequestOptions,
  ): Promise<JsonObject & { readonly id_server_unbind_result: string }> {
    const body = { medium, address };
    const response = await this.#request("POST", "v3/account/3pid/unbind", body, options);
    return requireMember(response, "id_server_unbind_result", isText);
  }

  /**
   * Requests an email that validates the address of a new account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3registeremailrequesttoken
   */
  requestRegisterEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestEmail("register", args);
  }

  /**
   * Requests a text message that validates the phone number of a new account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3registermsisdnrequesttoken
   */
  requestRegisterMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestTextMessage("register", args);
  }

  /**
   * Requests an email that validates an address to be added to the account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidemailrequesttoken
   */
  requestAdd3pidEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestEmail("account/3pid", args);
  }

  /**
   * Requests a text message that validates a phone number to be added to the account.
   *
   * @throws {MatrixError} for example `M_THREEPID_IN_USE`, `M_THREEPID_DENIED`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3account3pidmsisdnrequesttoken
   */
  requestAdd3pidMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestTextMessage("account/3pid", args);
  }

  /**
   * Requests an email that lets the user reset a forgotten password.
   *
   * @throws {MatrixError} for example `M_THREEPID_NOT_FOUND`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpasswordemailrequesttoken
   */
  requestPasswordEmailToken(...args: EmailTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestEmail("account/password", args);
  }

  /**
   * Requests a text message that lets the user reset a forgotten password.
   *
   * @throws {MatrixError} for example `M_THREEPID_NOT_FOUND`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpasswordmsisdnrequesttoken
   */
  requestPasswordMsisdnToken(...args: MsisdnTokenRequest): Promise<RequestTokenResponse> {
    return this.#requestTextMessage("account/password", args);
  }

  /**
   * Submits the code from a text message. The request has no access token.
   *
   * @param url The `submit_url` in the response to the request for the message.
   * @param token The code, as typed.
   * @throws {MatrixError} `M_TOKEN_INCORRECT` if the code is wrong.
   * @throws {TypeError} if `url` is not an HTTPS URL.
   * @see https://spec.matrix.org/v1.19/identity-service-api/#post_matrixidentityv2validatemsisdnsubmittoken
   */
  async submitMsisdnTokenOtherUrl(
    url: string,
    sid: string,
    clientSecret: string,
    token: string,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const body = { sid, client_secret: clientSecret, token };
    const { submitMsisdnToken } = await loadPart(import("./phone-code.js"));
    return submitMsisdnToken(url, body, this.baseUrl, this.#withDefaults(options));
  }

  async #setProfile(field: string, value: string, options?: RequestOptions): Promise<JsonObject> {
    const userId = this.userId ?? (await this.whoami(options)).user_id;
    const path = `v3/profile/${pathPart(userId)}/${field}`;
    return this.#request("PUT", path, { [field]: value }, options);
  }

  #requestEmail(what: string, [email, ...rest]: EmailTokenRequest) {
    return this.#requestToken(`${what}/email`, { email }, ...rest);
  }

  #requestTextMessage(what: string, [country, phone_number, ...rest]: MsisdnTokenRequest) {
    return this.#requestToken(`${what}/msisdn`, { country, phone_number }, ...rest);
  }

  /** The specification does not require an access token here, so none is sent. */
  async #requestToken(
    what: string,
    contact: JsonObject,
    client_secret: string,
    send_attempt: number,
    next_link?: string,
    options?: RequestOptions,
  ): Promise<RequestTokenResponse> {
    const request = { ...contact, client_secret, send_attempt, next_link };
    const path = `v3/${what}/requestToken`;
    const response = await this.#request("POST", path, request, options, true);
    const submit_url = textIn(response["submit_url"]);
    return { ...requireMember(response, "sid", isText), submit_url };
  }

  /** @param anonymous Sends no access token. */
  async #request(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: JsonObject,
    options?: RequestOptions,
    anonymous?: boolean,
  ): Promise<JsonObject> {
    const whole = body && { ...body, auth: body["auth"] ?? undefined };
    const send = (accessToken?: string) => {
      const request = { method, body: whole, accessToken };
      return requestMatrix(this.baseUrl, path, request, this.#withDefaults(options));
    };
    return anonymous ? send() : this.#send(options, send);
  }

  /** Loads the requests for media, and sends one of them with the access token. */
  async #media<Options extends RequestOptions, T>(
    options: Options | undefined,
    send: (
      media: typeof mediaRequests,
      accessToken: string | undefined,
      whole: Options & RequestOptions,
    ) => Promise<T>,
  ): Promise<T> {
    const media = await loadPart(import("./media.js"));
    const whole = { ...(options as Options), ...this.#withDefaults(options) };
    return this.#send({ signal: options?.signal }, (accessToken) =>
      send(media, accessToken, whole),
    );
  }

  /** Sends a request with the access token. */
  async #send<T>(
    options: RequestOptions | undefined,
    send: (accessToken?: string) => Promise<T>,
  ): Promise<T> {
    const session = this.#session;
    if (!session) return send(this.accessToken);
    // Without a valid URL, no token is requested.
    matrixUrl(this.baseUrl, "");
    return withToken(limited(session, options), send).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === "network_error")
        session.noteUnreachable?.();
      throw error;
    });
  }

  #withDefaults(options?: RequestOptions): RequestOptions {
    const { fetch = this.#defaults.fetch, timeoutMs = this.#defaults.timeoutMs } = options ?? {};
    return { ...options, fetch, timeoutMs };
  }
}

/** Requests report an invalid URL. */
const asBaseUrl = (url: string): string => readBaseUrl(url) ?? url;

/** Longer than the limit of one request, because a session repeats failed requests. */
const SESSION_TIMEOUT_MS = 30_000;

/** Wraps a session so that it responds within a time limit. */
function limited(
  session: AccessTokenSource,
  { signal, timeoutMs = SESSION_TIMEOUT_MS }: RequestOptions = {},
): AccessTokenSource {
  const wait = <T>(call: (waiting: AbortOptions) => Promise<T>): Promise<T> =>
    withTimeout((ending) => call({ signal: ending }), "the session", { signal, timeoutMs });
  return {
    accessToken: () => wait((waiting) => session.accessToken(waiting)),
    replaceToken: (...refusal) =>
      wait(async (waiting) => session.replaceToken?.(refusal[0], refusal[1], waiting)),
  };
}

/**
 * The response, if its `member` is valid. `unset` replaces a missing member. @throws {RequestError}
 * `response_not_json`
 */
function requireMember<K extends string, T>(
  response: JsonObject,
  member: K,
  is: (value: unknown) => value is T,
  unset?: T,
): JsonObject & Readonly<Record<K, T>> {
  const value = presentMembers(response)[member] ?? unset;
  if (is(value)) return { ...response, [member]: value } as JsonObject & Readonly<Record<K, T>>;
  throw new RequestError("response_not_json", `The response contains no valid ${member}`);
}

/**
 * Leaves out an entry without its `key`, which must not hide the others. A missing list is empty.
 * @throws as {@link requireMember}.
 */
function requireList<M extends string, K extends string>(
  response: JsonObject,
  member: M,
  key: K,
): JsonObject & Readonly<Record<M, readonly (JsonObject & Readonly<Record<K, string>>)[]>> {
  const list = requireMember(response, member, isList, [])[member];
  const isEntry = (each: unknown) => isJsonObject(each) && typeof each[key] === "string";
  return { ...response, [member]: list.filter(isEntry) } as ReturnType<typeof requireList<M, K>>;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/**
 * Loads a part of the client that few pages use. It is a tenth of the download size of a sign-in.
 *
 * @throws {OidcFlowError} `LoadFailed`.
 */
const loadPart = <Part>(loading: Promise<Part>): Promise<Part> =>
  loading.catch((cause: unknown) => {
    throw new OidcFlowError("Part of the library could not be loaded", "load_failed", cause);
  });
