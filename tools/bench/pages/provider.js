// The provider inside the page: with it only the library is measured, not the network.
import { SignJWT, exportJWK, generateKeyPair } from "jose";

/** Replaces `fetch` and plays the issuer. @param algorithm What signs ID tokens. */
export async function pretendProvider(algorithm, { issuer, clientId }) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const header = { alg: algorithm, kid: "key", typ: "JWT" };
  const jwk = { ...(await exportJWK(publicKey)), kid: "key", alg: algorithm, use: "sig" };
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}authorize`,
    token_endpoint: `${issuer}token`,
    revocation_endpoint: `${issuer}revoke`,
    registration_endpoint: `${issuer}register`,
    jwks_uri: `${issuer}keys`,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    id_token_signing_alg_values_supported: [algorithm],
  };
  const idToken = (claims) => new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  const answers = new Map();
  window.fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname.endsWith("/openid-configuration")) return Response.json(metadata);
    if (pathname === "/keys") return Response.json({ keys: [jwk] });
    const form = new URLSearchParams(init?.body);
    return Response.json(answers.get(form.get("code")));
  };
  return {
    metadata,
    /** Approves, with a signed ID token. @returns The URL to return to. */
    async authorize(authorizationUrl) {
      const request = new URL(authorizationUrl).searchParams;
      const code = crypto.randomUUID();
      const now = Math.floor(Date.now() / 1000);
      const scope = request.get("scope");
      const claims = {
        iss: issuer,
        sub: "alice",
        aud: clientId,
        iat: now,
        exp: now + 300,
        nonce: request.get("nonce") ?? undefined,
      };
      answers.set(code, {
        access_token: "access-token",
        refresh_token: "refresh-token",
        token_type: "Bearer",
        expires_in: 300,
        scope,
        ...(scope.includes("openid") && { id_token: await idToken(claims) }),
      });
      const back = new URL(request.get("redirect_uri"));
      back.search = new URLSearchParams({ code, state: request.get("state") });
      return back.href;
    },
  };
}
