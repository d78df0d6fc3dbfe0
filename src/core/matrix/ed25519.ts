// Ed25519 for browsers whose WebCrypto has none: Chromium before 137 and Firefox before 129. It can
// go when those are no longer supported: https://w3c.github.io/webcrypto/#ed25519
import { getPublicKeyAsync, signAsync, verifyAsync } from "@noble/ed25519";

export async function generateEd25519Key(): Promise<{
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>;
}> {
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const publicKey = await getPublicKeyAsync(seed);
  return { seed, publicKey, sign: (message) => signAsync(message, seed) };
}

export const verifyEd25519 = (
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): Promise<boolean> => verifyAsync(signature, message, publicKey);
