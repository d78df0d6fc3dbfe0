// The types of the client's methods. A response that extends `JsonObject` has all members that the
// homeserver sent. Only the declared ones were validated.
import type { RequestOptions } from "../http/fetch.js";
import type { JsonObject } from "../http/json.js";
import type { AuthDict, UIAuthCallback } from "../uia/options.js";

/**
 * The owner of an access token.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
 */
export interface Whoami {
  readonly user_id: string;
  readonly device_id?: string;
  readonly is_guest?: boolean;
}

/** One of the account's devices. */
export interface Device extends JsonObject {
  readonly device_id: string;
  readonly display_name?: string | null;
  readonly last_seen_ip?: string | null;
  /** In milliseconds since the epoch. */
  readonly last_seen_ts?: number | null;
}

/** The public profile of a user. A homeserver might have other members. */
export interface Profile extends JsonObject {
  readonly displayname?: string | undefined;
  /** The `mxc:` URI of the image, such as `mxc://example.org/AbC`. */
  readonly avatar_url?: string | undefined;
}

/** The homeserver's limits for media. */
export interface MediaConfig extends JsonObject {
  /** The largest upload, in bytes; undefined if the homeserver doesn't report it. */
  readonly "m.upload.size"?: number | undefined;
}

/** The progress of an upload, in bytes. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
}

export interface UploadOptions extends RequestOptions {
  /** The file's name, which other users can see. Default: none. */
  readonly name?: string | undefined;
  /** The media type. Default: the file's type, or `application/octet-stream` if it has none. */
  readonly type?: string | undefined;
  /**
   * Called while the file is being sent. Only browsers report progress, and only if neither the
   * options nor a script on the page replaces `fetch`.
   */
  readonly progressHandler?: ((progress: UploadProgress) => void) | undefined;
}

/** The size of a thumbnail, in pixels. */
export interface ThumbnailSize {
  readonly width: number;
  readonly height: number;
  /** `crop` fills the size, `scale` fits into it. Default: `scale`. */
  readonly method?: "crop" | "scale" | undefined;
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

/** A new account. Unless `inhibit_login` was set, it has tokens, too. */
export interface Registration extends JsonObject {
  readonly user_id: string;
  readonly access_token?: string | undefined;
  readonly device_id?: string | undefined;
}

/** An email address (`medium` is `email`) or a phone number (`msisdn`). */
export interface ThreePid extends JsonObject {
  readonly address: string;
}

export interface BootstrapCrossSigningOptions {
  /** Completes User-Interactive Authentication. Default: the keys are uploaded without `auth`. */
  readonly authUploadDeviceSigningKeys?: UIAuthCallback<void> | undefined;
  /**
   * This device's own identity keys, from the client that made them, such as `getOwnDeviceKeys()`
   * of matrix-js-sdk's crypto: the public Ed25519 key, in unpadded base64. Without these, the
   * device is not signed, because a homeserver could return keys of its own choice.
   */
  readonly ownDeviceKeys?: { readonly ed25519: string } | undefined;
}

/** The homeserver's response after it has sent an email or a text message. */
export interface RequestTokenResponse extends JsonObject {
  /** Identifies the validation session. */
  readonly sid: string;
  /** The URL to submit the code to. If it is undefined, the user follows a link instead. */
  readonly submit_url: string | undefined;
}

/**
 * The parameters of a request for an email. Increase `sendAttempt` for another message: for the
 * same number, the homeserver sends no message. `nextLink` is the final target of the link in the
 * message.
 */
export type EmailTokenRequest = [
  email: string,
  clientSecret: string,
  sendAttempt: number,
  nextLink?: string | undefined,
  options?: RequestOptions,
];

/**
 * The parameters of a request for a text message. They are used like those for an email.
 * `phoneCountry` is the two-letter ISO 3166-1 code of the country for which the homeserver reads
 * `phoneNumber`.
 */
export type MsisdnTokenRequest = [
  phoneCountry: string,
  phoneNumber: string,
  clientSecret: string,
  sendAttempt: number,
  nextLink?: string | undefined,
  options?: RequestOptions,
];

/** The response to `POST /login`. */
export interface LoginResponse extends JsonObject {
  readonly user_id: string;
  readonly device_id: string;
  readonly access_token: string;
}
