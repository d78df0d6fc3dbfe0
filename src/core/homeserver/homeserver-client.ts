import {
  RequestError,
  parseTrustworthyUrl,
  requestJson,
  urlBelow,
  type RequestOptions,
} from "../http/index.js";
import { withSigningKeys, type DiscoveryOptions } from "../oidc/issuer-discovery.js";
import type { OidcClientConfig } from "../oidc/metadata.js";
import { fetchAuthMetadata } from "./auth-metadata.js";
import { bodyOrThrow } from "./matrix-error.js";

export interface HomeserverClientOptions {
  /** The base of the client-server API. */
  readonly baseUrl: string;
  readonly accessToken?: string | undefined;
  /** Whom the token belongs to, where it is known. */
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Who an access token belongs to.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#get_matrixclientv3accountwhoami
 */
export interface Whoami {
  readonly user_id: string;
  readonly device_id?: string;
  readonly is_guest?: boolean;
}

/** The part of a homeserver's client-server API that signing in needs. */
export class HomeserverClient {
  readonly baseUrl: string;
  readonly accessToken: string | undefined;
  readonly userId: string | undefined;
  readonly deviceId: string | undefined;
  readonly #fetch: typeof globalThis.fetch | undefined;

  constructor({ baseUrl, accessToken, userId, deviceId, fetch }: HomeserverClientOptions) {
    this.baseUrl = baseUrl;
    this.accessToken = accessToken;
    this.userId = userId;
    this.deviceId = deviceId;
    this.#fetch = fetch;
  }

  /**
   * Asks for the homeserver's authorization server and its signing keys.
   *
   * @throws {OidcFlowError} `NotSupported`, `OpSupport`, `General`.
   */
  async getAuthMetadata(options?: DiscoveryOptions): Promise<OidcClientConfig> {
    const complete = this.#complete(options);
    return withSigningKeys(await fetchAuthMetadata(this.baseUrl, complete), complete);
  }

  /**
   * Asks whom the access token belongs to: in Matrix, who has signed in.
   *
   * @throws {MatrixError} where the homeserver refuses, for example `M_UNKNOWN_TOKEN`.
   * @throws {RequestError} where there is no usable answer.
   * @throws {TypeError} where `baseUrl` is no address that a token may be sent to.
   */
  async whoami(options?: RequestOptions): Promise<Whoami> {
    const url = urlBelow(this.baseUrl, "_matrix/client/v3/account/whoami");
    if (!parseTrustworthyUrl(url)) throw new TypeError(`${this.baseUrl} is no https address`);
    const headers = this.accessToken ? { Authorization: `Bearer ${this.accessToken}` } : {};
    const body = bodyOrThrow(await requestJson(url, { headers }, this.#complete(options)));
    const { user_id, device_id, is_guest } = body;
    if (typeof user_id !== "string") {
      throw new RequestError("response_not_json", "The homeserver names no user");
    }
    return {
      user_id,
      ...(typeof device_id === "string" && { device_id }),
      ...(typeof is_guest === "boolean" && { is_guest }),
    };
  }

  /**
   * Submits the code that came by phone, where the homeserver said; no token goes there.
   *
   * @throws {MatrixError} for example `M_TOKEN_INCORRECT`.
   * @throws {TypeError} where `url` is no address that a code may be sent to.
   */
  async submitMsisdnTokenOtherUrl(
    url: string,
    sid: string,
    secret: string,
    token: string,
    options?: RequestOptions,
  ): Promise<void> {
    if (!parseTrustworthyUrl(url)) throw new TypeError(`${url} is no https address`);
    const body = { sid, client_secret: secret, token };
    bodyOrThrow(await requestJson(url, { method: "POST", body }, this.#complete(options)));
  }

  #complete<T extends RequestOptions>(options?: T): T | RequestOptions {
    return { ...options, fetch: options?.fetch ?? this.#fetch };
  }
}
