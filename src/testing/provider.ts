import { type Environment, type FoundSession, newAccount, opensApi } from "./environment.js";
import { type Call, json, type Json, readJson, type Routes, ServerRefusal } from "./exchange.js";

const DEVICE_SCOPE = /^urn:matrix:(?:org\.matrix\.msc2967\.)?client:device:(.+)$/;

const devicesIn = (scope: string): readonly string[] =>
  scope.split(" ").flatMap((each) => DEVICE_SCOPE.exec(each)?.[1] ?? []);

/** @see https://spec.matrix.org/latest/client-server-api/#oauth-20-account-management */
const ACCOUNT_ACTIONS = [
  "org.matrix.profile",
  "org.matrix.devices_list",
  "org.matrix.device_view",
  "org.matrix.device_delete",
  "org.matrix.account_deactivate",
  "org.matrix.cross_signing_reset",
];

const LOOPBACK_PORT = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+/;

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-2 */
export function metadataOf(environment: Environment): object {
  const { issuer, providerApi } = environment;
  return {
    issuer,
    authorization_endpoint: environment.authorizationPage,
    token_endpoint: `${providerApi}token`,
    revocation_endpoint: `${providerApi}revoke`,
    registration_endpoint: `${providerApi}register`,
    jwks_uri: `${providerApi}keys`,
    account_management_uri: environment.accountPage,
    account_management_actions_supported: ACCOUNT_ACTIONS,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    prompt_values_supported: ["create"],
    id_token_signing_alg_values_supported: [environment.algorithm],
    authorization_response_iss_parameter_supported: true,
    ...environment.options.metadata,
  };
}

/**
 * The faults that the provider shows on its own page, without a redirect: RFC 6749, section
 * 4.1.2.1.
 */
function authorizationFaults({ data }: Environment, request: URLSearchParams): readonly string[] {
  const valueOf = (name: string): string => request.get(name) ?? "";
  const registered = data.clients[valueOf("client_id")];
  const redirectUri = valueOf("redirect_uri");
  const withoutPort = redirectUri.replace(LOOPBACK_PORT, "$1");
  const isRegistered = [redirectUri, withoutPort].some((uri) => registered?.includes(uri));
  const scope = valueOf("scope");
  return [
    !registered && "the client is not registered",
    registered && !isRegistered && `the client has not registered the redirect URI ${redirectUri}`,
    valueOf("response_type") !== "code" && "response_type is not code",
    valueOf("code_challenge_method") !== "S256" && "code_challenge_method is not S256",
    !/^[\w-]{43}$/.test(valueOf("code_challenge")) && "code_challenge is missing",
    !valueOf("state") && "state is missing",
    !opensApi(scope) && "the scope lacks the client-server API",
    devicesIn(scope).length !== 1 && "the scope has not one device",
  ].filter((fault) => typeof fault === "string");
}

/**
 * Responds to an authorization request as if a user approved it, or, with `error`, declined it.
 *
 * @param user Default: the login hint's; with `prompt=create` a new one; else the first account.
 * @returns The URL that the provider redirects to.
 * @throws {TypeError} if a provider would not accept the request.
 */
export function respondToAuthorization(
  environment: Environment,
  url: URL,
  { user, error }: { readonly user?: string | undefined; readonly error?: string },
): string {
  const { data, issuer } = environment;
  const request = url.searchParams;
  const faults = authorizationFaults(environment, request);
  if (faults.length > 0) throw new TypeError(`The authorization request: ${faults.join(", ")}`);
  const response = new URLSearchParams({ state: request.get("state") ?? "", iss: issuer });
  if (error) {
    response.set("error", error);
  } else {
    const hint = request.get("login_hint")?.replace(/^mxid:/, "");
    let localpart = user ?? ((hint && environment.ownLocalpart(hint)) || undefined);
    if (request.get("prompt") === "create") {
      localpart ??= environment.newLocalpart();
      data.accounts[localpart] ??= newAccount(localpart);
    }
    const found = environment.userToSignIn(localpart);
    const code = environment.tokenFor("code-");
    data.codes[code] = { user: found, request: request.toString() };
    response.set("code", code);
  }
  const target = new URL(request.get("redirect_uri") ?? "");
  if (request.get("response_mode") === "fragment") target.hash = response.toString();
  else for (const [name, value] of response) target.searchParams.set(name, value);
  return target.href;
}

const oauthError = (error: string, status = 400): ServerRefusal =>
  new ServerRefusal(status, { error });

export function providerRoutes(environment: Environment): Routes {
  /** @see https://www.rfc-editor.org/rfc/rfc7591#section-3 */
  const register = (call: Call): Response => {
    const { redirect_uris: uris, ...client } = readJson(call);
    const redirectUris = Array.isArray(uris) ? uris.map(String) : [];
    if (redirectUris.length === 0) throw oauthError("invalid_redirect_uri");
    const client_id = environment.nameFor("client-");
    environment.data.clients[client_id] = redirectUris;
    return json({ ...client, redirect_uris: redirectUris, client_id }, 201);
  };

  const tokensOf = async (
    { session: { user, clientId, scope = "" }, issued }: FoundSession,
    nonce: string | null = null,
  ): Promise<Json> => {
    const claims = { sub: user, aud: clientId, ...(nonce !== null && { nonce }) };
    const isOpenId = scope.split(" ").includes("openid");
    return {
      access_token: issued.accessToken,
      refresh_token: issued.refreshToken,
      token_type: "Bearer",
      expires_in: Math.round((issued.expiresAt - environment.now()) / 1000),
      scope,
      id_token: isOpenId ? await signIdToken(environment, claims) : undefined,
    };
  };

  /** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 and RFC 7636, section 4.6 */
  const exchange = async (form: URLSearchParams): Promise<Json> => {
    const code = form.get("code") ?? "";
    const challenge = await codeChallengeOf(form.get("code_verifier") ?? "");
    const { data } = environment;
    const { user = "", request: asked = "" } = data.codes[code] ?? {};
    const request = new URLSearchParams(asked);
    const fits =
      request.get("code_challenge") === challenge &&
      ["client_id", "redirect_uri"].every((name) => request.get(name) === form.get(name));
    if (!fits) throw oauthError("invalid_grant");
    Reflect.deleteProperty(data.codes, code);
    const scope = request.get("scope") ?? "";
    const [deviceId = ""] = devicesIn(scope);
    const clientId = form.get("client_id") ?? "";
    const started = environment.startSession({ user, clientId, scope, deviceId });
    return tokensOf(started, request.get("nonce"));
  };

  /** @see https://www.rfc-editor.org/rfc/rfc6749#section-6 */
  const refresh = (form: URLSearchParams): Promise<Json> => {
    const found = environment.findSession(form.get("refresh_token"), "refreshToken");
    const { clientId, isSoftLoggedOut } = found?.session ?? {};
    const isGood = clientId === form.get("client_id") && !isSoftLoggedOut;
    const issued = found && isGood && environment.refreshSession(found);
    if (!issued) throw oauthError("invalid_grant");
    return tokensOf({ ...found, issued });
  };

  return {
    "GET .well-known/openid-configuration": () => metadataOf(environment),
    "GET keys": () => keySet(environment),
    "POST register": register,
    "POST token": ({ body }) => {
      const form = new URLSearchParams(body);
      if (!environment.data.clients[form.get("client_id") ?? ""]) {
        throw oauthError("invalid_client", 401);
      }
      const grant = form.get("grant_type");
      if (grant === "authorization_code") return exchange(form);
      if (grant === "refresh_token") return refresh(form);
      throw oauthError("unsupported_grant_type");
    },
    // An unknown token is not an error: https://www.rfc-editor.org/rfc/rfc7009#section-2.2
    "POST revoke": ({ body }) => {
      const token = new URLSearchParams(body).get("token");
      const { session } = environment.findSession(token, "accessToken", "refreshToken") ?? {};
      if (session?.clientId !== undefined) environment.endSessions(session.user, session.deviceId);
    },
  };
}

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
};

export async function makeSigningKey(algorithm: Environment["algorithm"]): Promise<JsonWebKey> {
  const { subtle } = crypto;
  const { privateKey } = await subtle.generateKey(ALGORITHMS[algorithm], true, ["sign", "verify"]);
  return subtle.exportKey("jwk", privateKey);
}

/** @see https://www.rfc-editor.org/rfc/rfc7517#section-5 */
function keySet({ data, algorithm }: Environment): object {
  const { kty, n, e, crv, x, y } = data.signingKey;
  return { keys: [{ kty, n, e, crv, x, y, kid: "key", alg: algorithm, use: "sig" }] };
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
async function signIdToken(
  { data, algorithm, issuer, now }: Environment,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { subtle } = crypto;
  const parameters = ALGORITHMS[algorithm];
  const key = await subtle.importKey("jwk", data.signingKey, parameters, false, ["sign"]);
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
async function codeChallengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64url(new Uint8Array(digest));
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
