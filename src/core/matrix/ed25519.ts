// Ed25519 for browsers whose WebCrypto lacks it: Chromium before 137 and Firefox before 129. Remove
// it when those are no longer supported: https://w3c.github.io/webcrypto/#ed25519
export { getPublicKeyAsync, signAsync, verifyAsync } from "@noble/ed25519";
