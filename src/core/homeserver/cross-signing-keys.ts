/**
 * A public cross-signing key.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#post_matrixclientv3keysdevice_signingupload
 */
export interface CrossSigningKey {
  readonly user_id: string;
  readonly usage: readonly string[];
  /** The key as unpadded base64, under the name `ed25519:` plus the key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Signatures as unpadded base64, by user id and by key id. */
  readonly signatures?: Signatures;
}

/** By user ID and by key ID. */
export type Signatures = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface CrossSigningKeys {
  readonly master_key?: CrossSigningKey;
  readonly self_signing_key?: CrossSigningKey;
  readonly user_signing_key?: CrossSigningKey;
}

/** New cross-signing keys. The private ones are 32-byte seeds as unpadded base64. */
export interface CrossSigningResult {
  readonly masterKey: string;
  readonly selfSigningKey: string;
  readonly userSigningKey: string;
  /** What was published. */
  readonly keys: Required<CrossSigningKeys>;
  /**
   * Whether this client's device now has the signature of the self-signing key: only where its own keys
   * were given, and the homeserver has the same.
   */
  readonly deviceSigned: boolean;
}
