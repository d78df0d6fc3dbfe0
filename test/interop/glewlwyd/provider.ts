import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Glewlwyd } from "./glewlwyd.js";

/** The scope that a Matrix client requests in addition to its device's. */
export const API_SCOPE = "urn:matrix:client:api:*";

/** A scope that allows a client to see and revoke every token. */
const TOKENS_SCOPE = "tokens";

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

export const ALICE: Credentials = { name: "alice", password: "alice-password" };

/** The variants of the provider, each with a separate URL and keys. */
export interface ProviderOptions {
  readonly alg: "ES256" | "RS256";
  /** Whether each refresh returns a new refresh token, and revokes the old one. */
  readonly rotates: boolean;
  /** Whether responses contain `iss` (RFC 9207). */
  readonly saysWho: boolean;
  /** Whether clients can register themselves. */
  readonly registers: boolean;
  /** Whether users can type another device's code. */
  readonly device: boolean;
}

export interface Provider {
  readonly issuer: string;
  readonly saysWho: boolean;
}

/**
 * Adds a provider, as an administrator does on the pages.
 *
 * @param front The URL for users and clients.
 */
export async function addProvider(
  { ask }: Glewlwyd,
  front: string,
  name: string,
  { alg, rotates, saysWho, registers, device }: ProviderOptions,
): Promise<Provider> {
  const issuer = `${front}/api/${name}`;
  await ask("POST", "mod/plugin", {
    module: "oidc",
    name,
    display_name: name,
    enabled: true,
    parameters: {
      iss: issuer,
      "oauth-as-iss-id": saysWho,
      "jwks-private": JSON.stringify({ keys: [signingKey(alg)] }),
      "allow-non-oidc": true,
      "auth-type-code-enabled": true,
      "auth-type-refresh-enabled": true,
      "auth-type-client-enabled": true,
      "auth-type-device-enabled": device,
      "device-authorization-expiration": 600,
      "device-authorization-interval": 1,
      "access-token-duration": 300,
      "refresh-token-duration": 1_209_600,
      "refresh-token-rolling": true,
      "refresh-token-one-use": rotates ? "always" : "never",
      "code-duration": 600,
      "pkce-allowed": true,
      "pkce-required": true,
      "introspection-revocation-allowed": true,
      "introspection-revocation-auth-scope": [TOKENS_SCOPE],
      "register-client-allowed": registers,
      "register-client-auth-scope": [],
      "register-client-credentials-scope": [],
      // Overrides the client's value: the provider looks for "none" in a list, and treats the
      // string itself as a secret.
      "register-default-properties": { token_endpoint_auth_method: { value: ["none"] } },
    },
  });
  return { issuer, saysWho };
}

function signingKey(alg: ProviderOptions["alg"]): object {
  const { privateKey } =
    alg === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), alg, kid: `${alg}-key`, use: "sig" };
}

/** Glewlwyd accepts only scopes that an administrator has created and assigned to a user. */
export async function allowScope(
  { ask }: Glewlwyd,
  name: string,
  displayName: string,
): Promise<void> {
  const known = (await ask("GET", "scope?limit=10000")) as readonly { readonly name: string }[];
  if (known.some((scope) => scope.name === name)) return;
  await ask("POST", "scope", {
    name,
    display_name: displayName,
    description: name,
    password_required: true,
    password_max_age: 0,
    scheme: {},
    scheme_required: {},
  });
  const users = (await ask("GET", "user?limit=10000")) as readonly User[];
  for (const user of users.filter(({ scope }) => scope.includes("openid"))) {
    await ask("PUT", `user/${user.username}`, { ...user, scope: [...user.scope, name] });
  }
}

interface User {
  readonly username: string;
  readonly scope: readonly string[];
}

export const addUser = ({ ask }: Glewlwyd, { name, password }: Credentials): Promise<unknown> =>
  ask("POST", "user", {
    username: name,
    name,
    password,
    enabled: true,
    scope: ["g_profile", "openid"],
  });

/** Adds a client as an administrator does. */
export async function addClient(
  { ask }: Glewlwyd,
  clientId: string,
  redirectUris: readonly string[],
  name: string,
): Promise<void> {
  await ask("POST", "client", {
    client_id: clientId,
    name,
    enabled: true,
    confidential: false,
    redirect_uri: redirectUris,
    authorization_type: ["code", "refresh_token", "device_authorization"],
    token_endpoint_auth_method: ["none"],
    scope: [],
  });
}

/** Adds the client for a homeserver whose users sign in with this provider. */
export const addConfidentialClient = (
  { ask }: Glewlwyd,
  client: { readonly client_id: string; readonly client_secret: string },
  redirectUri: string,
): Promise<unknown> =>
  ask("POST", "client", {
    ...client,
    name: "Homeserver",
    enabled: true,
    confidential: true,
    redirect_uri: [redirectUri],
    authorization_type: ["code"],
    token_endpoint_auth_method: ["client_secret_basic"],
    scope: [],
  });

/** Adds the homeserver's client. @returns A function that requests its token. */
export async function addHomeserverClient(
  glewlwyd: Glewlwyd,
): Promise<(issuer: string) => Promise<string>> {
  const secret = randomBytes(16).toString("hex");
  await glewlwyd.ask("POST", "scope", {
    name: TOKENS_SCOPE,
    display_name: "Tokens",
    description: "See and take back tokens",
    password_required: false,
    scheme: {},
    scheme_required: {},
  });
  await glewlwyd.ask("POST", "client", {
    client_id: "homeserver",
    name: "Homeserver",
    enabled: true,
    confidential: true,
    client_secret: secret,
    authorization_type: ["client_credentials"],
    token_endpoint_auth_method: ["client_secret_basic"],
    scope: [TOKENS_SCOPE],
  });
  return async (issuer) => {
    // The request bypasses the proxy, which counts the apps' requests.
    const url = `${glewlwyd.origin}${new URL(issuer).pathname}/token`;
    const response = await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Basic ${Buffer.from(`homeserver:${secret}`).toString("base64")}`,
      },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: TOKENS_SCOPE }),
    });
    if (!response.ok) throw new Error(`No token for the homeserver: ${response.status}`);
    return ((await response.json()) as { access_token: string }).access_token;
  };
}
