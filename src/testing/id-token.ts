import type { Data, Environment } from "./environment.js";

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
};

export async function makeSigningKey(
  algorithm: Environment["algorithm"],
): Promise<Data["signingKey"]> {
  const { subtle } = crypto;
  const uses: KeyUsage[] = ["sign", "verify"];
  const { publicKey, privateKey } = await subtle.generateKey(ALGORITHMS[algorithm], true, uses);
  return {
    publicKey: { ...(await subtle.exportKey("jwk", publicKey)) },
    privateKey: { ...(await subtle.exportKey("jwk", privateKey)) },
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc7517#section-5 */
export function keySet({ data, algorithm }: Environment): object {
  const { kty, n, e, crv, x, y } = data.signingKey.publicKey;
  return { keys: [{ kty, n, e, crv, x, y, kid: "key", alg: algorithm, use: "sig" }] };
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
export async function signIdToken(
  { data, algorithm, issuer, now }: Environment,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { subtle } = crypto;
  const parameters = ALGORITHMS[algorithm];
  const { privateKey } = data.signingKey;
  const key = await subtle.importKey("jwk", privateKey, parameters, false, ["sign"]);
  const iat = Math.floor(now() / 1000);
  const header = { alg: algorithm, kid: "key" };
  const payload = { iss: issuer, iat, exp: iat + 300, ...claims };
  const encoder = new TextEncoder();
  const parts = [header, payload].map((part) => base64url(encoder.encode(JSON.stringify(part))));
  const signed = parts.join(".");
  const signature = await subtle.sign(parameters, key, encoder.encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

/** @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
export async function codeChallengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64url(new Uint8Array(digest));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
