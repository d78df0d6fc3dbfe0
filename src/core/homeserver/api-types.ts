// What goes into the client's methods and what comes out of them. An answer that extends `JsonObject` has
// all that the homeserver sent; what is declared of it was looked at.
import type { AuthDict, UIAuthCallback } from "../auth-dict.js";
import type { JsonObject, RequestOptions } from "../http/index.js";

/** An `auth` that may be missing. */
export type Auth = AuthDict | null | undefined;

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

/** One of the account's devices, with whatever else the homeserver says of it. */
export interface Device extends JsonObject {
  readonly device_id: string;
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

/** A new account, with whatever else the homeserver says of it: tokens, unless they were inhibited. */
export interface Registration extends JsonObject {
  readonly user_id: string;
  readonly access_token?: string | undefined;
  readonly device_id?: string | undefined;
}

/** A token by which another device signs in once; `expires_in_ms` is its life in milliseconds. */
export interface LoginToken extends JsonObject {
  readonly login_token: string;
}

/** A mail address or a phone number; `medium` says which: `email` or `msisdn`. */
export interface ThreePid extends JsonObject {
  readonly address: string;
}

export interface ThreePids extends JsonObject {
  readonly threepids: readonly ThreePid[];
}

export interface BootstrapCrossSigningOptions {
  /** Proves who is asking; without it the keys are uploaded without a proof. */
  readonly authUploadDeviceSigningKeys?: UIAuthCallback<void> | undefined;
}

/** What a homeserver answers when it has sent a mail or a text message. */
export interface RequestTokenResponse extends JsonObject {
  /** Names the validation from here on. */
  readonly sid: string;
  /** Where to submit the code; without it the person follows a link. */
  readonly submit_url: string | undefined;
}

/** The proof that a person owns an address, in `addThreePidOnly`. */
export interface AddThreePidOnlyBody {
  readonly sid: string;
  readonly client_secret: string;
  readonly auth?: AuthDict | null | undefined;
}

/**
 * How a mail or a text message is asked for: `sendAttempt` is raised by one for each that is really
 * wanted, and `nextLink` is where the link in it leads in the end.
 */
export type TokenRequest = [
  clientSecret: string,
  sendAttempt: number,
  nextLink?: string | undefined,
  options?: RequestOptions,
];

export type EmailTokenRequest = [email: string, ...TokenRequest];

/** `phoneCountry` is two letters of ISO 3166-1, by which `phoneNumber` is read. */
export type MsisdnTokenRequest = [phoneCountry: string, phoneNumber: string, ...TokenRequest];
