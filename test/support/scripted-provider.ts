import {
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type CryptoKey,
  type JWK,
} from "jose";
import { ScriptedFetch, json, type Responder } from "./scripted-fetch.ts";

export const ISSUER = "https://idp.example/";

export type SigningAlgorithm = "RS256" | "ES256" | "EdDSA";

export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: CryptoKey;
  /** The public key in the form of a key set. */
  readonly jwk: JWK & { readonly kid: string };
}

export async function makeSigningKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { algorithm, privateKey, jwk: { ...jwk, kid, alg: algorithm, use: "sig" } };
}

/** Generating an RSA key is slow, so providers share one key of each kind. */
const sharedKeys = new Map<SigningAlgorithm, Promise<SigningKey>>();

function sharedKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const key = sharedKeys.get(algorithm) ?? makeSigningKey(algorithm);
  sharedKeys.set(algorithm, key);
  return key;
}

/** The provider's redirect back to the app. */
export interface ProviderResponse {
  /** The whole URL of the redirect. */
  readonly url: string;
  readonly code: string;
  readonly state: string;
}

/**
 * A correct provider that tests can change: its metadata, keys, tokens and claims are data, and its endpoints
 * are routes of `server`. It checks the code, the PKCE verifier, the client and the redirect URI, as real
 * providers do.
 */
export class ScriptedProvider {
  readonly server: ScriptedFetch;
  readonly metadata: Record<string, unknown>;
  readonly clientId = "client-of-this-test";
  readonly accessToken = "secret-access-token";
  readonly refreshToken = "secret-refresh-token";
  /** Signs ID tokens. */
  signingKey: SigningKey;
  /** The key set. */
  publishedKeys: readonly JWK[];
  /** Replaces claims of a correct ID token. Undefined removes a claim. */
  claims: Record<string, unknown> = {};
  /** Replaces members of a correct token response. Undefined removes a member. */
  tokens: Record<string, unknown> = {};
  /** Signs claims as an ID token. */
  signIdToken = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: this.signingKey.algorithm, kid: this.signingKey.jwk.kid })
      .sign(this.signingKey.privateKey);
  readonly #requests = new Map<string, URLSearchParams>();

  static async create(algorithm: SigningAlgorithm = "RS256"): Promise<ScriptedProvider> {
    return new ScriptedProvider(await sharedKey(algorithm));
  }

  private constructor(key: SigningKey) {
    this.signingKey = key;
    this.publishedKeys = [key.jwk];
    this.metadata = {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}authorize`,
      token_endpoint: `${ISSUER}token`,
      revocation_endpoint: `${ISSUER}revoke`,
      registration_endpoint: `${ISSUER}register`,
      jwks_uri: `${ISSUER}jwks`,
      response_types_supported: ["code"],
      response_modes_supported: ["query", "fragment"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      id_token_signing_alg_values_supported: [key.algorithm],
    };
    this.server = new ScriptedFetch({
      [`GET ${ISSUER}.well-known/openid-configuration`]: () => Response.json(this.metadata),
      [`GET ${ISSUER}jwks`]: () => Response.json({ keys: this.publishedKeys }),
      [`POST ${ISSUER}register`]: json({ client_id: this.clientId }, 201),
      [`POST ${ISSUER}token`]: this.exchange,
    });
  }

  /** Grants an authorization request. */
  authorize(authorizationUrl: string, extra: Record<string, string> = {}): ProviderResponse {
    const request = new URL(authorizationUrl).searchParams;
    const code = `secret-code-${this.#requests.size}`;
    this.#requests.set(code, request);
    const state = request.get("state") ?? "";
    const url = new URL(request.get("redirect_uri") ?? "");
    const response = new URLSearchParams({ code, state, ...extra });
    if (request.get("response_mode") === "fragment") url.hash = response.toString();
    else for (const [name, value] of response) url.searchParams.set(name, value);
    return { url: url.href, code, state };
  }

  /** The correct token endpoint. */
  readonly exchange: Responder = async ({ body }) => {
    const parameters = new URLSearchParams(body);
    const code = parameters.get("code") ?? "";
    const request = this.#requests.get(code);
    const challenge = await s256(parameters.get("code_verifier") ?? "");
    const fits =
      parameters.get("grant_type") === "authorization_code" &&
      request?.get("code_challenge") === challenge &&
      request.get("client_id") === parameters.get("client_id") &&
      request.get("redirect_uri") === parameters.get("redirect_uri");
    if (!request || !fits) return Response.json({ error: "invalid_grant" }, { status: 400 });
    this.#requests.delete(code);
    const scope = request.get("scope") ?? "";
    const idToken = scope.split(" ").includes("openid")
      ? { id_token: await this.signIdToken(this.#claimsFor(request)) }
      : {};
    return Response.json({
      access_token: this.accessToken,
      token_type: "Bearer",
      refresh_token: this.refreshToken,
      expires_in: 300,
      scope,
      ...idToken,
      ...this.tokens,
    });
  };

  #claimsFor(request: URLSearchParams): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: ISSUER,
      sub: "alice",
      aud: request.get("client_id"),
      nonce: request.get("nonce"),
      iat: now,
      exp: now + 300,
      ...this.claims,
    };
    return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  }
}

async function s256(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64Url(new Uint8Array(digest));
}

export const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
