// Servers inside the page: with them only the library is measured, not the network.
const base64Url = (bytes) =>
  new Uint8Array(bytes).toBase64({ alphabet: "base64url", omitPadding: true });
const encode = (value) => base64Url(new TextEncoder().encode(JSON.stringify(value)));

const ALGORITHMS = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
};

const keys = new Map();

async function keyOf(algorithm) {
  const known = keys.get(algorithm);
  if (known) return known;
  const pair = await crypto.subtle.generateKey(ALGORITHMS[algorithm], true, ["sign", "verify"]);
  const { privateKey } = pair;
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const { kty, n, e, crv, x, y } = jwk;
  const key = {
    privateKey,
    jwk: { kty, n, e, crv, x, y, kid: algorithm, alg: algorithm, use: "sig" },
  };
  keys.set(algorithm, key);
  return key;
}

async function sign(algorithm, claims) {
  const { privateKey } = await keyOf(algorithm);
  const input = `${encode({ alg: algorithm, kid: algorithm, typ: "JWT" })}.${encode(claims)}`;
  const data = new TextEncoder().encode(input);
  return `${input}.${base64Url(await crypto.subtle.sign(ALGORITHMS[algorithm], privateKey, data))}`;
}

/**
 * Replaces `fetch` and plays the issuer, until it is stopped.
 *
 * @param algorithm What signs ID tokens.
 */
export async function pretendProvider(algorithm, { issuer, clientId }) {
  const { jwk } = await keyOf(algorithm);
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
  const answers = new Map();
  const real = window.fetch;
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
        ...(scope.includes("openid") && { id_token: await sign(algorithm, claims) }),
      });
      const back = new URL(request.get("redirect_uri"));
      back.search = new URLSearchParams({ code, state: request.get("state") });
      return back.href;
    },
    stop() {
      window.fetch = real;
    },
  };
}

const STAGES = ["m.login.registration_token", "m.login.terms", "m.login.dummy"];

/** A homeserver that requires three stages. */
export function refusing() {
  const completed = [];
  return async (auth) => {
    if (auth?.type === STAGES[completed.length]) completed.push(auth.type);
    if (completed.length === STAGES.length) return { status: 200, body: {} };
    return {
      status: 401,
      body: {
        session: "session",
        flows: [{ stages: STAGES }],
        params: {},
        completed: [...completed],
      },
    };
  };
}
