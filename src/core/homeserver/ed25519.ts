// Ed25519 for browsers whose WebCrypto lacks it; loaded only in those.
import { getPublicKeyAsync, signAsync } from "@noble/ed25519";

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
