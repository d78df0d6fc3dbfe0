import { AuthError, type AuthErrorOptions } from "../http/auth-error.js";
import { textIn } from "../http/json.js";

/**
 * A public cross-signing key.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keysdevice_signingupload
 */
export interface CrossSigningKey {
  readonly user_id: string;
  readonly usage: readonly string[];
  /** The key in unpadded base64, under the name `ed25519:` plus the key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Signatures in unpadded base64, by user ID and key ID. */
  readonly signatures?: Signatures;
}

export type Signatures = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface CrossSigningKeys {
  readonly master_key?: CrossSigningKey;
  readonly self_signing_key?: CrossSigningKey;
  readonly user_signing_key?: CrossSigningKey;
}

/** New cross-signing keys. The private ones are 32-byte seeds in unpadded base64. */
export interface NewCrossSigningKeys {
  readonly masterKey: string;
  readonly selfSigningKey: string;
  readonly userSigningKey: string;
  /** The public keys. */
  readonly keys: Required<CrossSigningKeys>;
}

/** Keys that have been published to the homeserver. */
export interface CrossSigningResult extends NewCrossSigningKeys {
  /**
   * Whether the self-signing key has signed this client's device. This requires the device's own
   * keys, which must equal the homeserver's copy.
   */
  readonly deviceSigned: boolean;
}

/**
 * The response to the upload of new cross-signing keys was lost, so the homeserver might use them. Store
 * {@link newKeys} until you know: upload `newKeys.keys` again with
 * `HomeserverClient.uploadDeviceSigningKeys()`, or compare them with the response of `/keys/query`.
 */
export class CrossSigningUploadError extends AuthError {
  protected static override readonly names: readonly string[] = ["CrossSigningUploadError"];
  override readonly name = "CrossSigningUploadError";
  /** The code of the cause, such as `network_error`, or `cancelled` if the user cancelled. */
  readonly code: string;
  /** Secret, and not enumerable, so that logs don't contain it. */
  declare readonly newKeys: NewCrossSigningKeys;

  /** @param cause The rejection of `authUploadDeviceSigningKeys`. */
  constructor(newKeys: NewCrossSigningKeys, cause: unknown) {
    const options = Object(cause) as AuthErrorOptions & { readonly code?: unknown };
    super("The homeserver might use the new keys: the response to their upload is lost", {
      ...options,
      cause,
    });
    this.code = textIn(options.code) ?? "unexpected";
    Object.defineProperty(this, "newKeys", { value: newKeys });
  }
}
