import { getPublicKeyAsync, signAsync, verifyAsync } from "@noble/ed25519";

// Ed25519 where WebCrypto has none; loaded only there.

/** A new 32-byte private key, its public key, and a function that signs with it. */
export async function generateKey(): Promise<{
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}> {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const publicKey = await getPublicKeyAsync(seed);
  return { seed, publicKey, sign: (message) => signAsync(message, seed) };
}

/** Whether a signature is the key's. */
export const verify = (
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): Promise<boolean> => verifyAsync(signature, message, publicKey);
