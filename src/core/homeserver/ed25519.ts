// Ed25519 where WebCrypto has none; loaded only there.
import { getPublicKeyAsync, signAsync } from "@noble/ed25519";

/** A new private key of 32 bytes, its public key, and what signs with it. */
export async function generateKey(): Promise<{
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}> {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const publicKey = await getPublicKeyAsync(seed);
  return { seed, publicKey, sign: (message) => signAsync(message, seed) };
}
