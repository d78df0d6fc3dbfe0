import { createRemoteJWKSet, jwtVerify } from "jose";
import { createAccounts } from "../../../demo/server/accounts.js";
import { deviceIdOf } from "../../../demo/server/authorization-server/matrix-scopes.js";
import { startHomeserver as startDemoHomeserver } from "../../../demo/server/homeserver.js";
import type { Provider } from "./provider.js";

type Options = NonNullable<Parameters<typeof startDemoHomeserver>[0]>;
type AuthorizationServer = NonNullable<Options["authorizationServer"]>;

export interface HomeserverOptions {
  readonly provider: Provider;
  /** Requests the homeserver's own token from the provider. */
  readonly tokenOf: (issuer: string) => Promise<string>;
  /** Replaces members of {@link completed}'s result. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The demo's homeserver, which delegates to a provider. */
export const startHomeserver = (
  options: HomeserverOptions,
): Promise<Awaited<ReturnType<typeof startDemoHomeserver>>> =>
  startDemoHomeserver({ authorizationServer: authorizationServerOf(options) });

const authorizationServerOf = ({
  provider,
  tokenOf,
  metadata,
}: HomeserverOptions): AuthorizationServer => ({
  issuer: provider.issuer,
  origin: new URL(provider.issuer).origin,
  accountManagementUri: accountPageOf(provider),
  accounts: createAccounts([]),
  serverName: undefined,
  connect: () => undefined,
  metadata: async () => ({ ...(await completed(provider)), ...metadata }),
  introspect: (token) => introspect(token, provider.issuer, tokenOf),
  crossSigningResetAllowed: () => false,
  close: () => Promise.resolve(),
});

const accountPageOf = ({ issuer }: Provider): string => new URL("/profile.html", issuer).href;

async function documentOf(issuer: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  return (await response.json()) as Record<string, unknown>;
}

/** Adds undocumented behavior to the provider's metadata. README.md lists each member. */
async function completed(provider: Provider): Promise<Record<string, unknown>> {
  const metadata = await documentOf(provider.issuer);
  const grants = metadata["grant_types_supported"];
  return {
    ...metadata,
    grant_types_supported: [...(Array.isArray(grants) ? grants : []), "refresh_token"],
    authorization_response_iss_parameter_supported: provider.saysWho,
    account_management_uri: accountPageOf(provider),
  };
}

/** Verifies the token with the provider's keys, and then at the provider, which may have revoked it. */
async function introspect(
  token: string,
  issuer: string,
  tokenOf: HomeserverOptions["tokenOf"],
): ReturnType<AuthorizationServer["introspect"]> {
  const metadata = await documentOf(issuer);
  const keys = createRemoteJWKSet(new URL(String(metadata["jwks_uri"])));
  const isSigned = await jwtVerify(token, keys, { issuer, typ: "at+jwt" }).catch(() => undefined);
  if (!isSigned) return null;
  const response = await fetch(String(metadata["introspection_endpoint"]), {
    method: "POST",
    headers: { Authorization: `Bearer ${await tokenOf(issuer)}` },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }),
  });
  const { active, username, scope } = (await response.json()) as Record<string, unknown>;
  if (active !== true) return null;
  const deviceId = deviceIdOf(String(scope));
  return { localpart: String(username), deviceId, scope: String(scope), clientName: null };
}
