import type { JsonObject, RequestOptions } from "../http/index.js";
import type { DiscoveryOptions } from "../oidc/issuer-discovery.js";
import type { OidcClientConfig } from "../oidc/metadata.js";
import { withSigningKeys } from "../oidc/signing-keys.js";
import { secureRandomString } from "../random.js";
import type {
  Auth,
  BootstrapCrossSigningOptions,
  Devices,
  LoginToken,
  Registration,
  RegisterRequest,
  Whoami,
} from "./api-types.js";
import { fetchAuthMetadata } from "./auth-metadata.js";
import type { CrossSigningKeys, CrossSigningResult } from "./cross-signing.js";
import { having, isListWith, isText, pathPart } from "./homeserver-connection.js";
import { MatrixError } from "./matrix-error.js";
import { ThreePidClient } from "./threepid-client.js";

const isRefusal = (error: unknown, errcode: string): boolean =>
  error instanceof MatrixError && error.errcode === errcode;

/**
 * The part of a homeserver's client-server API that signing in, and proving again who one is, need.
 *
 * Every method sends one whole request, with the access token where it needs one, and rejects with a
 * {@link MatrixError} where the homeserver refuses, with a {@link RequestError} where there is no usable
 * answer, and with a `TypeError` where `baseUrl` is no address that a token may be sent to, or where an
 * identifier does not fit in a path. With a `session`, what that rejects with comes too. Where a method
 * takes `auth`, null and undefined send none, and the refusal may be a 401 whose `data.flows` says how to
 * prove who is asking.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/
 */
export class HomeserverClient extends ThreePidClient {
  /**
   * Asks for the homeserver's authorization server and its signing keys.
   *
   * @throws {OidcFlowError} `NotSupported`, `OpSupport`, `General`.
   */
  async getAuthMetadata(options?: DiscoveryOptions): Promise<OidcClientConfig> {
    const complete = this.complete(options);
    return withSigningKeys(await fetchAuthMetadata(this.baseUrl, complete), complete);
  }

  /**
   * Asks whom the access token belongs to: in Matrix, who has signed in.
   *
   * @throws {MatrixError} for example `M_UNKNOWN_TOKEN`.
   * @see https://spec.matrix.org/v1.16/client-server-api/#get_matrixclientv3accountwhoami
   */
  async whoami(options?: RequestOptions): Promise<Whoami> {
    const { user_id, device_id, is_guest } = await this.request(
      "GET",
      "v3/account/whoami",
      undefined,
      options,
    ).then(having("user_id", isText));
    return {
      user_id,
      ...(isText(device_id) && { device_id }),
      ...(typeof is_guest === "boolean" && { is_guest }),
    };
  }

  /**
   * Lists the account's devices.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#get_matrixclientv3devices
   */
  getDevices(options?: RequestOptions): Promise<Devices> {
    return this.request("GET", "v3/devices", undefined, options).then(
      having("devices", isListWith("device_id")),
    );
  }

  /**
   * Signs one of the account's devices out and forgets it.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#delete_matrixclientv3devicesdeviceid
   */
  async deleteDevice(deviceId: string, auth?: Auth, options?: RequestOptions): Promise<JsonObject> {
    return this.request("DELETE", `v3/devices/${pathPart(deviceId)}`, { auth }, options);
  }

  /**
   * Signs several of the account's devices out and forgets them.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3delete_devices
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
   * @param logoutDevices whether all other devices are signed out; the homeserver's default: true.
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3accountpassword
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
   * Ends the account for good.
   *
   * @param erase whether what the account wrote is to be hidden from people who join later.
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3accountdeactivate
   */
  deactivateAccount(auth?: Auth, erase?: boolean, options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/account/deactivate", { erase, auth }, options);
  }

  /**
   * Makes an account; asked without the access token.
   *
   * @param kind `user` or `guest`; the homeserver's default: `user`.
   * @throws {MatrixError} for example `M_USER_IN_USE`, `M_INVALID_USERNAME`, `M_FORBIDDEN`.
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3register
   */
  async register(
    body: RegisterRequest,
    kind?: string,
    options?: RequestOptions,
  ): Promise<Registration> {
    const path = `v3/register${kind ? `?kind=${encodeURIComponent(kind)}` : ""}`;
    const answer = await this.request("POST", path, body, options, true).then(
      having("user_id", isText),
    );
    const { access_token, device_id } = answer;
    return {
      ...answer,
      access_token: isText(access_token) ? access_token : undefined,
      device_id: isText(device_id) ? device_id : undefined,
    };
  }

  /**
   * Asks whether a user name is free; asked without the access token.
   *
   * @throws {MatrixError} for example `M_INVALID_USERNAME`; never `M_USER_IN_USE`.
   * @see https://spec.matrix.org/v1.16/client-server-api/#get_matrixclientv3registeravailable
   */
  async isUsernameAvailable(username: string, options?: RequestOptions): Promise<boolean> {
    const path = `v3/register/available?username=${encodeURIComponent(username)}`;
    try {
      return (await this.request("GET", path, undefined, options, true))["available"] === true;
    } catch (error) {
      if (isRefusal(error, "M_USER_IN_USE")) return false;
      throw error;
    }
  }

  /**
   * Gets a token by which another device can sign in once.
   *
   * @returns `login_token`, and `expires_in_ms`: how long it lives, in milliseconds.
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv1loginget_token
   */
  requestLoginToken(auth?: Auth, options?: RequestOptions): Promise<LoginToken> {
    return this.request("POST", "v1/login/get_token", { auth }, options).then(
      having("login_token", isText),
    );
  }

  /**
   * Signs the access token's device out.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3logout
   */
  logout(options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/logout", {}, options);
  }

  /**
   * Publishes cross-signing keys; homeservers from before Matrix 1.1 are asked at their old path.
   *
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3keysdevice_signingupload
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
   * @param content signed objects, by user id and by device id or public key.
   * @see https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3keyssignaturesupload
   */
  uploadKeySignatures(content: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.request("POST", "v3/keys/signatures/upload", content, options);
  }

  /**
   * Makes new cross-signing keys, publishes them, and has them sign this client's device as the
   * homeserver knows it. What was there before is replaced; to keep the new ones is up to the caller.
   *
   * @returns the private keys, and what was published.
   * @throws what `authUploadDeviceSigningKeys` rejects with; a `TypeError` where the code for it cannot
   *   be loaded.
   * @see https://spec.matrix.org/v1.16/client-server-api/#cross-signing
   */
  async bootstrapCrossSigning(
    { authUploadDeviceSigningKeys }: BootstrapCrossSigningOptions = {},
    options?: RequestOptions,
  ): Promise<CrossSigningResult> {
    const { bootstrapCrossSigning } = await import("./cross-signing.js");
    const query = (body: JsonObject): Promise<JsonObject> =>
      this.request("POST", "v3/keys/query", body, options);
    return bootstrapCrossSigning(this, query, authUploadDeviceSigningKeys, options);
  }

  /**
   * Makes the address of the homeserver's own page for a stage of authentication.
   *
   * @throws {TypeError} where `baseUrl` is no https address, or `type` fits in no path.
   * @see https://spec.matrix.org/v1.16/client-server-api/#fallback
   */
  getFallbackAuthUrl(type: string, session: string): string {
    const query = `session=${encodeURIComponent(session)}`;
    return this.url(`v3/auth/${pathPart(type)}/fallback/web?${query}`);
  }

  /** Makes a secret by which a client proves that it asked for a mail or a text message. */
  generateClientSecret(): string {
    return secureRandomString(32);
  }
}
