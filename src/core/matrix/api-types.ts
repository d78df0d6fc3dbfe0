import type { RequestOptions } from "../http/fetch.js";
import type { JsonObject } from "../http/json.js";
import type { AuthDict, UIAuthCallback } from "../shared/auth-dict.js";

// What the client's methods take and return. A response that extends `JsonObject` has everything that the
// homeserver sent; only the declared members were validated.

/** An `auth` that may be missing. */
export type Auth = AuthDict | null | undefined;

/**
 * Who an access token belongs to.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
 */
export interface Whoami {
  readonly user_id: string;
  readonly device_id?: string;
  readonly is_guest?: boolean;
}

/** One of the account's devices, with whatever else the homeserver says about it. */
export interface Device extends JsonObject {
  readonly device_id: string;
  readonly display_name?: string | null;
  readonly last_seen_ip?: string | null;
  /** In milliseconds since the epoch. */
  readonly last_seen_ts?: number | null;
}

export interface Devices extends JsonObject {
  readonly devices: readonly Device[];
}

/** The body of a registration. */
export interface RegisterRequest extends JsonObject {
  readonly auth?: AuthDict | null | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly device_id?: string | undefined;
  readonly initial_device_display_name?: string | undefined;
  readonly inhibit_login?: boolean | undefined;
  readonly refresh_token?: boolean | undefined;
}

/** A new account, with whatever else the homeserver sent: tokens, unless `inhibit_login` was set. */
export interface Registration extends JsonObject {
  readonly user_id: string;
  readonly access_token?: string | undefined;
  readonly device_id?: string | undefined;
}

/** A token with which another device can sign in once; `expires_in_ms` is its lifetime in milliseconds. */
export interface LoginToken extends JsonObject {
  readonly login_token: string;
}

/** An email address or a phone number; `medium` says which: `email` or `msisdn`. */
export interface ThreePid extends JsonObject {
  readonly address: string;
}

export interface ThreePids extends JsonObject {
  readonly threepids: readonly ThreePid[];
}

export interface BootstrapCrossSigningOptions {
  /** Completes User-Interactive Authentication; without it the keys are uploaded without `auth`. */
  readonly authUploadDeviceSigningKeys?: UIAuthCallback<void> | undefined;
  /**
   * This device's own identity keys, from the client that made them, such as `getOwnDeviceKeys()` of
   * matrix-js-sdk's crypto: the public Ed25519 key, as unpadded base64. Without it the device is not signed:
   * only the homeserver could say which keys are the device's, and name keys of its own.
   */
  readonly ownDeviceKeys?: { readonly ed25519: string } | undefined;
}

/** The homeserver's response after it has sent an email or a text message. */
export interface RequestTokenResponse extends JsonObject {
  /** Identifies the validation session. */
  readonly sid: string;
  /** Where to submit the code; if it is missing, the user follows a link instead. */
  readonly submit_url: string | undefined;
}

/** Proves to `addThreePidOnly` that a user owns an email address or phone number. */
export interface AddThreePidOnlyBody {
  readonly sid: string;
  readonly client_secret: string;
  readonly auth?: AuthDict | null | undefined;
}

/** Proves to an identity server that a user owns an email address or phone number. */
export interface BindThreePidBody {
  readonly sid: string;
  readonly client_secret: string;
  readonly id_server: string;
  /** Null for identity servers from before their tokens. */
  readonly id_access_token: string | null;
}

/** Whether the identity server has removed an address, too. */
export interface UnbindResult extends JsonObject {
  readonly id_server_unbind_result: string;
}

/** New tokens; `expires_in_ms` is the lifetime of the access token in milliseconds. */
export interface RefreshedTokens extends JsonObject {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in_ms?: number | undefined;
}

/**
 * How an email or a text message is requested: raise `sendAttempt` to have another one sent; a repeated
 * request with the same number sends none. `nextLink` is where the link in the message finally leads.
 */
export type TokenRequest = [
  clientSecret: string,
  sendAttempt: number,
  nextLink?: string | undefined,
  options?: RequestOptions,
];

export type EmailTokenRequest = [email: string, ...rest: TokenRequest];

/** `phoneCountry` is the two-letter ISO 3166-1 code by which `phoneNumber` is parsed. */
export type MsisdnTokenRequest = [phoneCountry: string, phoneNumber: string, ...rest: TokenRequest];

/** The response to `POST /login`. */
export interface LoginResponse extends JsonObject {
  readonly user_id: string;
  readonly device_id: string;
  readonly access_token: string;
}
