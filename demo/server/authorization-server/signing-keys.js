// @ts-check
import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";

/**
 * Makes keys for this run. Clients must support RS256; ES256 is for clients that request it with
 * `id_token_signed_response_alg`.
 *
 * @returns {Promise<{ keys: import("jose").JWK[] }>}
 */
export async function generateSigningKeys() {
  const keys = ["RS256", "ES256"].map(async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: randomUUID() };
  });
  return { keys: await Promise.all(keys) };
}
