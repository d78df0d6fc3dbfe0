import { base64url, type JWK } from "jose";
import { Host } from "./host.js";
import { ALGORITHMS, hashOf, signatureOf, signingKey, type SigningKey } from "./keys.js";
import type { ReceivedRequest, Reply } from "./network.js";
import type { AsyncPatch, Endpoint, Members } from "./row.js";

const PATHS: Readonly<Record<string, Endpoint>> = {
  "/register": "registration",
  "/authorize": "authorization",
  "/token": "token",
  "/keys": "keys",
  "/revoke": "revocation",
  "/device": "device authorization",
};

/** The names of requests to the token endpoint by grant type, except for the code's exchange. */
const GRANTS: Readonly<Record<string, Endpoint>> = {
  refresh_token: "refresh",
  "urn:ietf:params:oauth:grant-type:device_code": "device token",
};

const API = "urn:matrix:client:api:*";

/** The tokens of one sign-in. As with MAS, the last refresh token stays valid until the new one is used. */
interface Grant {
  readonly request: URLSearchParams;
  readonly accessTokens: string[];
  refreshToken: string;
  replaced?: string | undefined;
  revoked?: true;
}

/**
 * An OpenID provider that is honest except for a row's deviation: it checks its clients, redirect URIs,
 * codes and PKCE verifiers, and signs with real keys. It allows every authorization request without
 * asking the user, so it needs no session cookie.
 */
export class Provider extends Host {
  /** The values that only the client may see: codes, tokens and parts of them. */
  readonly secrets: string[] = [];
  /** The access tokens in the order of issue. */
  readonly accessTokens: string[] = [];
  /** The refresh tokens in the order of issue. */
  readonly refreshTokens: string[] = [];
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #devices = new Map<string, URLSearchParams>();
  readonly #grants: Grant[] = [];

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
      id_token_signing_alg_values_supported: ALGORITHMS,
      authorization_response_iss_parameter_supported: true,
    };
    return this.patched(honest, this.deviation.metadata);
  }

  get #key(): Promise<SigningKey> {
    const { signedBy = "RS256" } = this.deviation;
    return typeof signedBy === "function" ? signedBy() : signingKey(signedBy);
  }

  endpointOf({ path, body }: Pick<ReceivedRequest, "path" | "body">): Endpoint {
    if (path.endsWith("/.well-known/openid-configuration")) return "document";
    const grant = path === "/token" && new URLSearchParams(body).get("grant_type");
    return GRANTS[grant || ""] ?? PATHS[path] ?? "elsewhere";
  }

  protected async respond(
    endpoint: Endpoint,
    request: ReceivedRequest,
    nth: number,
  ): Promise<Reply> {
    switch (endpoint) {
      case "document":
        return { body: this.patched(this.metadata, this.deviation.document) };
      case "registration":
        return this.#register(request);
      case "authorization":
        return this.#authorize(request.query);
      case "token":
        return this.#exchange(formOf(request));
      case "refresh":
        return this.#refresh(formOf(request));
      case "revocation":
        return this.#revoke(formOf(request));
      case "device authorization":
        return this.#authorizeDevice(formOf(request));
      case "device token":
        return this.#exchangeDevice(formOf(request), nth);
      case "keys":
        return { body: { keys: await this.#keySet(nth) } };
      default:
        return { status: 404 };
    }
  }

  async #keySet(nth: number): Promise<unknown> {
    const keys: readonly JWK[] = [(await this.#key).jwk];
    return this.deviation.keys ? this.deviation.keys(keys, nth) : keys;
  }

  /** Registers a client with these redirect URIs. */
  addClient(clientId: string, redirectUris: readonly string[]): void {
    this.#clients.set(clientId, redirectUris);
  }

  /** RFC 7591, section 3. */
  #register({ method, headers, body }: ReceivedRequest): Reply {
    const client = JSON.parse(body || "{}") as {
      redirect_uris?: string[];
      application_type?: string;
    };
    if (method !== "POST" || headers["content-type"] !== "application/json") return { status: 405 };
    const { redirect_uris: uris = [], application_type: type } = client;
    const isRefused = (uri: string): boolean =>
      (type !== "native" && !uri.startsWith("https:")) ||
      (this.deviation.redirectUris === "without port" && new URL(uri).port !== "");
    if (uris.length === 0 || uris.some(isRefused)) {
      return { status: 400, body: { error: "invalid_redirect_uri" } };
    }
    const client_id = `client-${crypto.randomUUID()}`;
    const registration_access_token = this.#secret("registration-token");
    this.addClient(client_id, uris);
    const honest = {
      ...client,
      client_id,
      client_id_issued_at: seconds(),
      registration_access_token,
    };
    return { status: 201, body: this.patched(honest, this.deviation.registration) };
  }

  /** RFC 6749, section 4.1.1; RFC 7636, section 4.3. */
  async #authorize(request: URLSearchParams): Promise<Reply> {
    const redirectUri = request.get("redirect_uri") ?? "";
    const faults = [
      !this.#isRegistered(request.get("client_id") ?? "", redirectUri) && "client",
      request.get("response_type") !== "code" && "response_type",
      request.get("code_challenge_method") !== "S256" && "code_challenge_method",
      !/^[\w-]{43}$/.test(request.get("code_challenge") ?? "") && "code_challenge",
      !request.get("state") && "state",
      !request.get("scope")?.split(" ").includes(API) && "scope",
      request.has("nonce") !== request.get("scope")?.split(" ").includes("openid") && "nonce",
    ].filter(Boolean);
    if (faults.length > 0) return { status: 400, body: `Bad request: ${faults.join(", ")}` };
    const response = new URLSearchParams({
      code: this.issueCode(request),
      state: request.get("state") ?? "",
      iss: String(this.metadata["issuer"]),
    });
    await this.deviation.authorizationResponse?.(response, this.environment);
    const url = new URL(redirectUri);
    if (request.get("response_mode") === "fragment") url.hash = response.toString();
    else url.search = response.toString();
    this.deviation.callbackUrl?.(url, this.environment);
    return { status: 303, headers: { location: url.href } };
  }

  /** RFC 8252, section 7.3: a redirect URI that was registered without a port matches any port. */
  #isRegistered(clientId: string, redirectUri: string): boolean {
    const registered = this.#clients.get(clientId) ?? [];
    const { origin, hostname } = new URL(redirectUri);
    const withoutPort = redirectUri.replace(origin, `http://${hostname}`);
    return (
      registered.includes(redirectUri) ||
      (this.deviation.redirectUris !== "exact" && registered.includes(withoutPort))
    );
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
    const challenge = await hashOf(form.get("code_verifier") ?? "", 256);
    const fits =
      form.get("grant_type") === "authorization_code" &&
      request?.get("code_challenge") === base64url.encode(challenge) &&
      request.get("client_id") === form.get("client_id") &&
      request.get("redirect_uri") === form.get("redirect_uri");
    if (!request || !fits) return { status: 400, body: { error: "invalid_grant" } };
    this.#codes.delete(code);
    const grant: Grant = { request, accessTokens: [], refreshToken: "" };
    this.#grants.push(grant);
    const honest = await this.#give(grant, { nonce: request.get("nonce") }, this.deviation.claims);
    return { body: this.patched(honest, this.deviation.tokens) };
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
    const honest = await this.#give(grant, {}, this.deviation.refreshedClaims);
    return { body: this.patched(honest, this.deviation.refreshed) };
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

  /** Whether an access token is valid. */
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
    return { body: this.patched(honest, this.deviation.deviceAuthorization) };
  }

  /** RFC 8628, section 3.4: the user allows the request between the first and the second poll. */
  async #exchangeDevice(form: URLSearchParams, nth: number): Promise<Reply> {
    const request = this.#devices.get(form.get("device_code") ?? "");
    if (!request || request.get("client_id") !== form.get("client_id")) {
      return { status: 400, body: { error: "invalid_grant" } };
    }
    if (nth === 1) return { status: 400, body: { error: "authorization_pending" } };
    const grant: Grant = { request, accessTokens: [], refreshToken: "" };
    this.#grants.push(grant);
    const honest = await this.#give(grant, {}, this.deviation.claims);
    return { body: this.patched(honest, this.deviation.tokens) };
  }

  /** RFC 6749, section 5.1. */
  async #give(grant: Grant, claims: Members, patch: AsyncPatch | undefined): Promise<Members> {
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
    claims: AsyncPatch | undefined,
  ): Promise<unknown> {
    const {
      header,
      payload = (json: string): string => json,
      signature = signatureOf,
    } = this.deviation;
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
    const changes = typeof claims === "function" ? await claims(this.environment, honest) : claims;
    const parts = [
      JSON.stringify(this.patched({ alg: key.alg, kid: key.kid }, header)),
      payload(JSON.stringify({ ...honest, ...changes })),
    ].map((part) => base64url.encode(part));
    const input = parts.join(".");
    const signed = base64url.encode(await signature(input, key));
    this.secrets.push(...parts.slice(1), signed);
    const compact = `${input}.${signed}`;
    return this.deviation.idToken ? this.deviation.idToken(compact) : compact;
  }

  #secret(kind: string): string {
    const secret = `secret-${kind}-${crypto.randomUUID()}`;
    this.secrets.push(secret);
    return secret;
  }
}

const formOf = ({ body }: ReceivedRequest): URLSearchParams => new URLSearchParams(body);

const seconds = (): number => Math.floor(Date.now() / 1000);
