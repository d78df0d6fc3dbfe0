import { createHash, randomUUID } from "node:crypto";
import type { JWK } from "jose";
import type { Answer, Bend, Endpoint, Members, Patch } from "./bend.js";
import { signatureOf, signingKey, type SigningKey } from "./keys.js";
import type { Asked, Reply } from "./server.js";
import type { World } from "./world.js";

const PATHS: Readonly<Record<string, Endpoint>> = {
  "/register": "registration",
  "/authorize": "authorization",
  "/token": "token",
  "/keys": "keys",
  "/revoke": "revocation",
  "/device": "device authorization",
};

/** By the grant, what is asked for at the token endpoint where it is no code's exchange. */
const GRANTS: Readonly<Record<string, Endpoint>> = {
  refresh_token: "refresh",
  "urn:ietf:params:oauth:grant-type:device_code": "device token",
};

const API = "urn:matrix:client:api:*";

/** What one sign-in was given: MAS takes the last refresh token again until the new one was used. */
interface Grant {
  readonly request: URLSearchParams;
  readonly accessTokens: string[];
  refreshToken: string;
  replaced?: string | undefined;
  revoked?: true;
}

/** What is laid over what. */
export const laidOver = (honest: Members, patch: Patch | undefined, world: World): Members => ({
  ...honest,
  ...(typeof patch === "function" ? patch(world, honest) : patch),
});

const encode = (text: string): string => Buffer.from(text).toString("base64url");

/**
 * An OpenID provider that behaves, where it is not bent: it checks its clients, redirect URIs, codes
 * and PKCE verifiers, and signs with real keys. Like the Matrix Authentication Service, it has no
 * sessions that would need a cookie: whoever comes to its authorization endpoint has said yes.
 */
export class Provider {
  readonly origin: string;
  /** What only the client may see: codes, tokens and parts of them. */
  readonly secrets: string[] = [];
  /** The access tokens that were given out, the last one at the end. */
  readonly accessTokens: string[] = [];
  /** The refresh tokens likewise. */
  readonly refreshTokens: string[] = [];
  readonly #bend: Bend;
  readonly #world: () => World;
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #devices = new Map<string, URLSearchParams>();
  readonly #grants: Grant[] = [];
  readonly #asked = new Map<Endpoint, number>();

  constructor(origin: string, bend: Bend, world: () => World) {
    this.origin = origin;
    this.#bend = bend;
    this.#world = world;
  }

  get metadata(): Members {
    const honest = {
      issuer: `${this.origin}/`,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      revocation_endpoint: `${this.origin}/revoke`,
      registration_endpoint: `${this.origin}/register`,
      device_authorization_endpoint: `${this.origin}/device`,
      jwks_uri: `${this.origin}/keys`,
      response_types_supported: ["code"],
      response_modes_supported: ["query", "fragment"],
      grant_types_supported: ["authorization_code", ...Object.keys(GRANTS)],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      id_token_signing_alg_values_supported: ["RS256", "RS512", "PS256", "ES256", "ES384", "EdDSA"],
      authorization_response_iss_parameter_supported: true,
    };
    return laidOver(honest, this.#bend.metadata, this.#world());
  }

  get #key(): Promise<SigningKey> {
    const { signedBy = "RS256" } = this.#bend;
    return typeof signedBy === "function" ? signedBy() : signingKey(signedBy);
  }

  endpointOf({ path, body }: Pick<Asked, "path" | "body">): Endpoint {
    if (path.endsWith("/.well-known/openid-configuration")) return "document";
    const grant = path === "/token" && new URLSearchParams(body).get("grant_type");
    return GRANTS[grant || ""] ?? PATHS[path] ?? "elsewhere";
  }

  async handle(asked: Asked): Promise<Reply | undefined> {
    const endpoint = this.endpointOf(asked);
    const nth = (this.#asked.get(endpoint) ?? 0) + 1;
    this.#asked.set(endpoint, nth);
    const honest = async (): Promise<Reply> => this.#answer(endpoint, asked, nth);
    const bent: Answer | undefined = this.#bend.endpoints?.[endpoint];
    return bent ? bent({ ...asked, world: this.#world(), nth, honest }) : honest();
  }

  async #answer(endpoint: Endpoint, asked: Asked, nth: number): Promise<Reply> {
    switch (endpoint) {
      case "document":
        return { body: laidOver(this.metadata, this.#bend.document, this.#world()) };
      case "registration":
        return this.#register(asked);
      case "authorization":
        return this.#authorize(asked.query);
      case "token":
        return this.#exchange(formOf(asked));
      case "refresh":
        return this.#refresh(formOf(asked));
      case "revocation":
        return this.#revoke(formOf(asked));
      case "device authorization":
        return this.#authorizeDevice(formOf(asked));
      case "device token":
        return this.#exchangeDevice(formOf(asked), nth);
      case "keys":
        return { body: { keys: await this.#keySet(nth) } };
      default:
        return { status: 404 };
    }
  }

  async #keySet(nth: number): Promise<unknown> {
    const keys: readonly JWK[] = [(await this.#key).jwk];
    return this.#bend.keys ? this.#bend.keys(keys, nth) : keys;
  }

  /** Takes a client for registered: with which redirect URIs. */
  addClient(clientId: string, redirectUris: readonly string[]): void {
    this.#clients.set(clientId, redirectUris);
  }

  /** RFC 7591, section 3. */
  #register({ method, headers, body }: Asked): Reply {
    const client = JSON.parse(body || "{}") as { redirect_uris?: string[] };
    if (method !== "POST" || headers["content-type"] !== "application/json") return { status: 405 };
    if (!client.redirect_uris?.length) {
      return { status: 400, body: { error: "invalid_redirect_uri" } };
    }
    const client_id = `client-${randomUUID()}`;
    const registration_access_token = this.#secret("registration-token");
    this.addClient(client_id, client.redirect_uris);
    const honest = {
      ...client,
      client_id,
      client_id_issued_at: seconds(),
      registration_access_token,
    };
    return { status: 201, body: laidOver(honest, this.#bend.registration, this.#world()) };
  }

  /** RFC 6749, section 4.1.1; RFC 7636, section 4.3. */
  async #authorize(request: URLSearchParams): Promise<Reply> {
    const redirectUri = request.get("redirect_uri") ?? "";
    const faults = [
      !this.#clients.get(request.get("client_id") ?? "")?.includes(redirectUri) && "client",
      request.get("response_type") !== "code" && "response_type",
      request.get("code_challenge_method") !== "S256" && "code_challenge_method",
      !/^[\w-]{43}$/.test(request.get("code_challenge") ?? "") && "code_challenge",
      !request.get("state") && "state",
      !request.get("scope")?.split(" ").includes(API) && "scope",
      request.has("nonce") !== request.get("scope")?.split(" ").includes("openid") && "nonce",
    ].filter(Boolean);
    if (faults.length > 0) return { status: 400, body: `Bad request: ${faults.join(", ")}` };
    const answer = new URLSearchParams({
      code: this.issueCode(request),
      state: request.get("state") ?? "",
      iss: String(this.metadata["issuer"]),
    });
    await this.#bend.answer?.(answer, this.#world());
    const address = new URL(redirectUri);
    if (request.get("response_mode") === "fragment") address.hash = answer.toString();
    else address.search = answer.toString();
    this.#bend.address?.(address, this.#world());
    return { status: 303, headers: { location: address.href } };
  }

  /** A code for the sender of this authorization request. */
  issueCode(request: URLSearchParams): string {
    const code = this.#secret("code");
    this.#codes.set(code, request);
    return code;
  }

  /** RFC 6749, section 4.1.3; RFC 7636, section 4.6. */
  async #exchange(form: URLSearchParams): Promise<Reply> {
    const code = form.get("code") ?? "";
    const request = this.#codes.get(code);
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    const fits =
      form.get("grant_type") === "authorization_code" &&
      request?.get("code_challenge") === challenge.digest("base64url") &&
      request.get("client_id") === form.get("client_id") &&
      request.get("redirect_uri") === form.get("redirect_uri");
    if (!request || !fits) return { status: 400, body: { error: "invalid_grant" } };
    this.#codes.delete(code);
    const grant: Grant = { request, accessTokens: [], refreshToken: "" };
    this.#grants.push(grant);
    const honest = await this.#give(grant, { nonce: request.get("nonce") }, this.#bend.claims);
    return { body: laidOver(honest, this.#bend.tokens, this.#world()) };
  }

  /** RFC 6749, section 6; OpenID Connect Core, section 12.2: no nonce. */
  async #refresh(form: URLSearchParams): Promise<Reply> {
    const token = form.get("refresh_token");
    const grant = this.#grants.find(
      ({ revoked, refreshToken, replaced }) =>
        !revoked && (token === refreshToken || token === replaced),
    );
    if (!grant || grant.request.get("client_id") !== form.get("client_id")) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    if (token === grant.refreshToken) grant.replaced = token;
    const honest = await this.#give(grant, {}, this.#bend.refreshedClaims);
    return { body: laidOver(honest, this.#bend.refreshed, this.#world()) };
  }

  /** RFC 7009, section 2.2: an unknown token is not an error. */
  #revoke(form: URLSearchParams): Reply {
    const token = form.get("token") ?? "";
    for (const grant of this.#grants) {
      const { refreshToken, replaced, accessTokens } = grant;
      if ([refreshToken, replaced, ...accessTokens].includes(token)) grant.revoked = true;
    }
    return {};
  }

  /** Whether an access token opens anything. */
  isGood(token: string): boolean {
    return this.#grants.some(
      ({ revoked, accessTokens }) => !revoked && accessTokens.includes(token),
    );
  }

  /** RFC 8628, section 3.2. */
  #authorizeDevice(form: URLSearchParams): Reply {
    if (!this.#clients.has(form.get("client_id") ?? "") || !form.get("scope")?.includes(API)) {
      return { status: 400, body: { error: "invalid_request" } };
    }
    const device_code = this.#secret("device-code");
    this.#devices.set(device_code, form);
    const honest = {
      device_code,
      user_code: "WDJB-MJHT",
      verification_uri: `${this.origin}/link`,
      verification_uri_complete: `${this.origin}/link?code=WDJB-MJHT`,
      expires_in: 300,
      interval: 1,
    };
    return { body: laidOver(honest, this.#bend.deviceAuthorization, this.#world()) };
  }

  /** RFC 8628, section 3.4: the person says yes between the first question and the second. */
  async #exchangeDevice(form: URLSearchParams, nth: number): Promise<Reply> {
    const request = this.#devices.get(form.get("device_code") ?? "");
    if (!request || request.get("client_id") !== form.get("client_id")) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    if (nth === 1) return { status: 400, body: { error: "authorization_pending" } };
    const grant: Grant = { request, accessTokens: [], refreshToken: "" };
    this.#grants.push(grant);
    const honest = await this.#give(grant, {}, this.#bend.claims);
    return { body: laidOver(honest, this.#bend.tokens, this.#world()) };
  }

  /** RFC 6749, section 5.1. */
  async #give(grant: Grant, claims: Members, patch: Patch | undefined): Promise<Members> {
    const access_token = this.#secret("access-token");
    this.accessTokens.push(access_token);
    grant.accessTokens.push(access_token);
    const refresh_token = this.#secret("refresh-token");
    this.refreshTokens.push(refresh_token);
    grant.refreshToken = refresh_token;
    const scope = grant.request.get("scope") ?? "";
    return {
      access_token,
      token_type: "Bearer",
      refresh_token,
      expires_in: 300,
      scope,
      ...(scope.split(" ").includes("openid") && {
        id_token: await this.#idToken(grant.request, claims, patch),
      }),
    };
  }

  /** OpenID Connect Core, section 2. */
  async #idToken(
    request: URLSearchParams,
    more: Members,
    claims: Patch | undefined,
  ): Promise<unknown> {
    const { header, payload = (json): string => json, signature = signatureOf } = this.#bend;
    const key = await this.#key;
    const now = seconds();
    const honest = {
      iss: this.metadata["issuer"],
      sub: "alice",
      aud: request.get("client_id"),
      iat: now,
      exp: now + 300,
      ...more,
    };
    const world = this.#world();
    const parts = [
      encode(JSON.stringify(laidOver({ alg: key.alg, kid: key.kid }, header, world))),
      encode(payload(JSON.stringify(laidOver(honest, claims, world)))),
    ];
    const input = parts.join(".");
    const signed = (await signature(input, key)).toString("base64url");
    this.secrets.push(...parts.slice(1), signed);
    const compact = `${input}.${signed}`;
    return this.#bend.idToken ? this.#bend.idToken(compact) : compact;
  }

  #secret(kind: string): string {
    const secret = `secret-${kind}-${randomUUID()}`;
    this.secrets.push(secret);
    return secret;
  }
}

const formOf = ({ body }: Asked): URLSearchParams => new URLSearchParams(body);

const seconds = (): number => Math.floor(Date.now() / 1000);
