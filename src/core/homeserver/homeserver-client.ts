import { isJsonObject, isText, type JsonObject, type RequestOptions } from "../http/index.js";
import type { DiscoveryOptions } from "../oidc/issuer-discovery.js";
import type { OidcClientConfig } from "../oidc/metadata.js";
import { secureRandomString } from "../random.js";
import type {
  Auth,
  BootstrapCrossSigningOptions,
  Devices,
  RegisterRequest,
  Registration,
  Whoami,
} from "./api-types.js";
import type { CrossSigningKeys, CrossSigningResult } from "./cross-signing-keys.js";
import { isListWith, loaded, pathPart, requireMember } from "./homeserver-connection.js";
import { isRefusal } from "./matrix-error.js";
import { LoginClient } from "./login-client.js";

const KINDS: readonly string[] = ["user", "guest"];

/**
 * The parts of a homeserver's client-server API that login and User-Interactive Authentication need.
 *
 * Every method sends one complete request, with the access token if it needs one. It rejects with a
 * {@link MatrixError} if the homeserver refuses, with a {@link RequestError} if there is no usable
 * response, and with a `TypeError` if `baseUrl` is not a URL that a token may be sent to or an
 * identifier does not fit in a path. With a `session`, it also rejects with whatever that rejects with.
 * If a method takes `auth`, null and undefined send none, and the refusal may be a 401 whose `data.flows`
 * says how to authenticate.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/
 */
export class HomeserverClient extends LoginClient {
  /**
   * Gets the metadata of the homeserver's authorization server, with its signing keys.
   *
   * @throws {OidcFlowError} `NotSupported`, `OpSupport`, `General`.
   */
  async getAuthMetadata(options?: DiscoveryOptions): Promise<OidcClientConfig> {
    const { fetchClientConfig } = await loaded(import("./auth-metadata.js"));
    return fetchClientConfig(this.baseUrl, this.complete(options));
  }

  /**
   * Asks who owns the access token: in Matrix, who is signed in.
   *
   * @throws {MatrixError} for example `M_UNKNOWN_TOKEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
   */
  async whoami(options?: RequestOptions): Promise<Whoami> {
    const { user_id, device_id, is_guest } = await this.request(
      "GET",
      "v3/account/whoami",
      undefined,
      options,
    ).then(requireMember("user_id", isText));
    return {
      user_id,
      ...(isText(device_id) && { device_id }),
      ...(typeof is_guest === "boolean" && { is_guest }),
    };
  }

  /**
   * Lists the account's devices.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3devices
   */
  getDevices(options?: RequestOptions): Promise<Devices> {
    return this.request("GET", "v3/devices", undefined, options).then(
      requireMember("devices", isListWith("device_id")),
    );
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
    return this.request("PUT", `v3/devices/${pathPart(deviceId)}`, body, options);
  }

  /**
   * What the homeserver allows, by its name: `{ "m.change_password": { enabled: true } }`. What it does not mention is
   * allowed, but where an authorization server has the accounts.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3capabilities
   */
  async getCapabilities(
    options?: RequestOptions,
  ): Promise<Readonly<Record<string, JsonObject | undefined>>> {
    const { capabilities } = await this.request("GET", "v3/capabilities", undefined, options).then(
      requireMember("capabilities", isJsonObject),
    );
    return capabilities as Readonly<Record<string, JsonObject | undefined>>;
  }

  /**
   * Signs out one of the account's devices and deletes it.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#delete_matrixclientv3devicesdeviceid
   */
  async deleteDevice(deviceId: string, auth?: Auth, options?: RequestOptions): Promise<JsonObject> {
    return this.request("DELETE", `v3/devices/${pathPart(deviceId)}`, { auth }, options);
  }

  /**
   * Signs out several of the account's devices and deletes them.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3delete_devices
   */
  deleteMultipleDevices(
    devices: readonly string[],
    auth?: Auth,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    return this.request("POST", "v3/delete_devices", { devices, auth }, options);
  }

  /**
   * Sets the account's password.
   *
   * @param logoutDevices whether to sign out all other devices; the homeserver's default: true.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountpassword
   */
  setPassword(
    auth: Auth,
    newPassword: string,
    logoutDevices?: boolean,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const body = { new_password: newPassword, logout_devices: logoutDevices, auth };
    return this.request("POST", "v3/account/password", body, options);
  }

  /**
   * Deactivates the account permanently.
   *
   * @param erase whether to hide what the account wrote from users who join later.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3accountdeactivate
   */
  deactivateAccount(auth?: Auth, erase?: boolean, options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/account/deactivate", { erase, auth }, options);
  }

  /**
   * Registers an account; sent without the access token.
   *
   * @param kind the homeserver's default: `user`. It is in the URL, so anything else is a `TypeError`: callers of
   *   matrix-js-sdk's method would pass a password there.
   * @throws {MatrixError} for example `M_USER_IN_USE`, `M_INVALID_USERNAME`, `M_FORBIDDEN`.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3register
   */
  async register(
    body: RegisterRequest,
    kind?: "user" | "guest",
    options?: RequestOptions,
  ): Promise<Registration> {
    if (kind && !KINDS.includes(kind)) throw new TypeError("kind is neither user nor guest");
    const path = `v3/register${kind ? `?kind=${kind}` : ""}`;
    const response = await this.request("POST", path, body, options, true).then(
      requireMember("user_id", isText),
    );
    const { access_token, device_id } = response;
    return {
      ...response,
      access_token: isText(access_token) ? access_token : undefined,
      device_id: isText(device_id) ? device_id : undefined,
    };
  }

  /**
   * Asks whether a user name is available; sent without the access token.
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

  /**
   * As {@link isUsernameAvailable}, but also of a name that is taken it throws the homeserver's refusal.
   *
   * @internal
   */
  async checkUsername(username: string, options?: RequestOptions): Promise<boolean> {
    const path = `v3/register/available?username=${encodeURIComponent(username)}`;
    return (await this.request("GET", path, undefined, options, true))["available"] === true;
  }

  /**
   * Publishes cross-signing keys; homeservers from before Matrix 1.1 get the request at their old path.
   *
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keysdevice_signingupload
   */
  async uploadDeviceSigningKeys(
    auth?: Auth,
    keys?: CrossSigningKeys,
    options?: RequestOptions,
  ): Promise<JsonObject> {
    const path = "/keys/device_signing/upload";
    const body = { ...keys, auth };
    try {
      return await this.request("POST", `v3${path}`, body, options);
    } catch (error) {
      if (!isRefusal(error, "M_UNRECOGNIZED")) throw error;
      return this.request("POST", `unstable${path}`, body, options);
    }
  }

  /**
   * Publishes signatures of devices and keys.
   *
   * @param content signed objects, by user ID and by device ID or public key.
   * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keyssignaturesupload
   */
  uploadKeySignatures(content: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/keys/signatures/upload", content, options);
  }

  /**
   * Makes new cross-signing keys, publishes them, and has them sign this client's device, where the caller
   * gives the device's own keys. What was there before is replaced; to keep the new ones is up to the caller.
   *
   * @returns the private keys, and what was published.
   * @throws what `authUploadDeviceSigningKeys` rejects with, unless the keys were uploaded before that; a
   *   `TypeError` if the code for it cannot be loaded.
   * @see https://spec.matrix.org/v1.19/client-server-api/#cross-signing
   */
  async bootstrapCrossSigning(
    how: BootstrapCrossSigningOptions = {},
    options?: RequestOptions,
  ): Promise<CrossSigningResult> {
    const { bootstrapCrossSigning } = await loaded(import("./cross-signing.js"));
    const query = (body: JsonObject): Promise<JsonObject> =>
      this.request("POST", "v3/keys/query", body, options);
    return bootstrapCrossSigning(this, query, how, options);
  }

  /**
   * The URL of the homeserver's own page for an authentication stage.
   *
   * @throws {TypeError} if `baseUrl` is not an https URL or `type` does not fit in a path.
   * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
   */
  getFallbackAuthUrl(type: string, session: string): string {
    const query = `session=${encodeURIComponent(session)}`;
    return this.url(`v3/auth/${pathPart(type)}/fallback/web?${query}`);
  }

  /** Makes a secret with which a client proves that it requested an email or a text message. */
  generateClientSecret(): string {
    return secureRandomString(32);
  }
}
