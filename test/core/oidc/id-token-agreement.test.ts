// The certified oauth4webapi is asked about the same tokens: it and the library have to agree.
import { expect } from "@open-wc/testing";
import fc from "fast-check";
import {
  clockSkew,
  clockTolerance,
  jwksCache,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
} from "oauth4webapi";
import { completeAuthorizationCodeGrant } from "matrix-auth-elements/core";
import { ISSUER, ScriptedProvider, base64Url } from "../../support/scripted-provider.ts";
import { logIn } from "../login.ts";

const AT = Math.floor(Date.now() / 1000);
const CLIENT = "client-of-this-test";
const encoder = new TextEncoder();
const encoded = (value: unknown): string => base64Url(encoder.encode(JSON.stringify(value)));

/** Each member as it should be in most cases, and otherwise one of these. */
const mostly = <T>(good: T, ...others: readonly unknown[]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant<unknown>(good) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...others) },
  );

const claims = fc.record({
  iss: mostly(ISSUER, "https://idp.example", "https://other.example/", "", 1, undefined),
  aud: mostly(CLIENT, [CLIENT], [CLIENT, "other"], ["other"], [], "other", "", 5, undefined),
  azp: mostly(undefined, CLIENT, "other", "", 1),
  exp: mostly(AT + 300, AT - 299, AT - 300, AT - 301, "1", null, undefined),
  iat: mostly(AT, "1", null, undefined),
  nbf: mostly(undefined, AT, AT + 300, AT + 301, "1"),
  nonce: mostly("nonce-of-this-test", "other", "", null, undefined),
  sub: mostly("alice", 1, null, undefined),
  auth_time: mostly(undefined, AT, 0, -1, -0.5, "1", null),
});
const header = fc.record({
  alg: mostly("own", "none", "HS256", "RS256", "RS512", "PS256", "ES256", "rs256", 1, undefined),
  kid: mostly("own", "other", "", undefined),
  crit: mostly(undefined, ["exp"], [], null),
});
const key = fc.record({
  kid: mostly("own", "other", undefined),
  alg: mostly("own", "RS256", "RS512", "ES256", undefined),
  use: mostly("sig", "enc", undefined),
  key_ops: mostly(undefined, ["verify"], ["sign"], []),
  kty: mostly("own", "EC", "RSA", "OKP"),
});
const keys = fc.oneof(
  { weight: 6, arbitrary: key.map((one) => [one]) },
  fc.array(key, { maxLength: 2 }),
);
const signature = mostly("own", "empty", "changed", "of other claims");
const listed = mostly("own", undefined, ["RS256"], ["ES256"], ["none"], []);

describe("An ID token that oauth4webapi refuses", () => {
  for (const algorithm of ["RS256", "ES256"] as const) {
    it(`is refused, and one that it accepts is accepted, with a key for ${algorithm}`, async () => {
      const provider = await ScriptedProvider.create(algorithm);
      const { privateKey, jwk } = provider.signingKey;
      const how = algorithm === "RS256" ? "RSASSA-PKCS1-v1_5" : { name: "ECDSA", hash: "SHA-256" };
      const outcomes = new Set<boolean>();

      await fc.assert(
        fc.asyncProperty(fc.record({ claims, header, keys, signature, listed }), async (token) => {
          const own = (value: unknown, mine: unknown): unknown => (value === "own" ? mine : value);
          const { kid } = jwk;
          const alg = own(token.header.alg, algorithm);
          provider.publishedKeys = token.keys.map((each) => ({
            ...jwk,
            ...each,
            kid: own(each.kid, kid),
            alg: own(each.alg, algorithm),
            kty: own(each.kty, jwk.kty),
          })) as unknown as typeof provider.publishedKeys;
          const input = [
            encoded({ ...token.header, alg, kid: own(token.header.kid, kid) }),
            encoded(token.claims),
          ].join(".");
          const signed = token.signature === "of other claims" ? `${input}x` : input;
          const bytes = new Uint8Array(
            await crypto.subtle.sign(how, privateKey, encoder.encode(signed)),
          );
          if (token.signature === "changed") bytes[7] = (bytes[7] ?? 0) ^ 1;
          const idToken = `${input}.${token.signature === "empty" ? "" : base64Url(bytes)}`;

          provider.metadata.id_token_signing_alg_values_supported = own(token.listed, [algorithm]);
          provider.signIdToken = async () => idToken;

          const ours = await isAccepted(signIn(provider));
          const theirs = await isAccepted(
            verifyByOauth4webapi(provider, idToken, token.claims.iat),
          );
          outcomes.add(theirs);
          // OpenID Connect Core, section 3.1.3.7, number 5: azp counts also where aud names this client alone.
          const { azp } = token.claims;
          expect(ours).to.equal(theirs && (azp === undefined || azp === CLIENT));
        }),
        { numRuns: 400 },
      );
      expect([...outcomes].sort()).to.deep.equal([false, true]);
    });
  }
});

async function signIn(provider: ScriptedProvider): Promise<unknown> {
  const { code, state } = await logIn(provider);
  return completeAuthorizationCodeGrant(code, state, { fetch: provider.server.fetch });
}

async function verifyByOauth4webapi(
  { metadata, publishedKeys }: ScriptedProvider,
  idToken: string,
  iat: unknown,
): Promise<unknown> {
  const server = { ...metadata, issuer: ISSUER };
  const response = Response.json({ access_token: "a", token_type: "Bearer", id_token: idToken });
  const client = {
    client_id: CLIENT,
    [clockTolerance]: 300,
    [clockSkew]: typeof iat === "number" ? iat - Math.floor(Date.now() / 1000) : 0,
  };
  const expectedNonce = "nonce-of-this-test";
  await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce,
    requireIdToken: true,
  });
  const cache = { jwks: { keys: [...publishedKeys] }, uat: Math.floor(Date.now() / 1000) };
  return validateApplicationLevelSignature(server, response, { [jwksCache]: cache as never });
}

const isAccepted = (verifying: Promise<unknown>): Promise<boolean> =>
  verifying.then(
    () => true,
    () => false,
  );
