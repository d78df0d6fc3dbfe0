import { hasAccounts, hasLegacyLogin, type Environment } from "./environment.js";
import { json, unrecognized, type Json, type Routes } from "./exchange.js";
import type { Discovery } from "./options.js";
import { metadataOf } from "./provider.js";

const STABLE = "client/v1/auth_metadata";
const UNSTABLE = "client/unstable/org.matrix.msc2965/auth_metadata";
const AUTH_ISSUER = "client/unstable/org.matrix.msc2965/auth_issuer";

/** Which of the three ways to the metadata are open. After all of them comes the key in the well-known file. */
const OPEN: Readonly<Record<Discovery, readonly string[]>> = {
  stable: [STABLE, UNSTABLE, AUTH_ISSUER],
  unstable: [UNSTABLE, AUTH_ISSUER],
  auth_issuer: [AUTH_ISSUER],
  "well-known": [],
};

// What Synapse 1.160 announces, also where it serves `v1/auth_metadata` of v1.15: a client that looks here first
// never asks.
const VERSIONS = [
  ...["r0.0.1", "r0.1.0", "r0.2.0", "r0.3.0", "r0.4.0", "r0.5.0", "r0.6.0", "r0.6.1"],
  ...Array.from({ length: 12 }, (_, minor) => `v1.${minor + 1}`),
];

// Synapse's, which browsers obey.
const CACHED = {
  "Cache-Control": "public, max-age=600, s-maxage=3600, stale-while-revalidate=600",
};

/** The file that leads to the homeserver, by its server name and by its own. */
export function wellKnownUrls({
  homeserver,
  serverName,
}: Pick<Environment, "homeserver" | "serverName">): readonly string[] {
  const { origin, protocol } = new URL(homeserver);
  // A homeserver on this machine may have the name of one that is not.
  const origins = new Set([origin, `${protocol}//${serverName}`, `https://${serverName}`]);
  return [...origins].map((each) => `${each}/.well-known/matrix/client`);
}

/** @see https://spec.matrix.org/latest/client-server-api/#getwell-knownmatrixclient */
export function wellKnownFile({ homeserver, issuer, login, outside }: Environment): Json {
  const account = outside?.accountManagementUri ?? `${issuer}account`;
  return {
    // The slash is there to be met: servers write it.
    "m.homeserver": { base_url: `${homeserver}/` },
    ...(login.includes("oauth") && { "org.matrix.msc2965.authentication": { issuer, account } }),
  };
}

/** What is there, and how users sign in. */
export function discoveryRoutes(environment: Environment): Routes {
  const { discovery, issuer, login, outside } = environment;
  const isOpen = (path: string): boolean =>
    login.includes("oauth") && OPEN[discovery].includes(path);
  const metadata = async (): Promise<Response> =>
    json(outside ? await outside.metadata() : metadataOf(environment), 200, CACHED);
  return {
    "GET client/versions": () => json({ versions: VERSIONS, unstable_features: {} }),
    ...(isOpen(STABLE) && { [`GET ${STABLE}`]: metadata }),
    ...(isOpen(UNSTABLE) && { [`GET ${UNSTABLE}`]: metadata }),
    ...(isOpen(AUTH_ISSUER) && { [`GET ${AUTH_ISSUER}`]: () => json({ issuer }, 200, CACHED) }),
    "GET client/v3/login": () => {
      // With OAuth 2.0 alone there is no such endpoint, which is how an old client learns that it cannot sign in here.
      if (!hasLegacyLogin(environment)) throw unrecognized();
      return json({ flows: flowsOf(environment) });
    },
  };
}

function flowsOf(environment: Environment): readonly Json[] {
  const { login, identityProviders } = environment;
  const sso = {
    type: "m.login.sso",
    ...(identityProviders.length > 0 && { identity_providers: identityProviders }),
    // Clients that know OAuth 2.0 should use nothing else.
    ...(login.includes("oauth") && { oauth_aware_preferred: true }),
  };
  const token = {
    type: "m.login.token",
    ...(hasAccounts(environment) && { get_login_token: true }),
  };
  return [
    ...(login.includes("sso") ? [sso] : []),
    token,
    ...(login.includes("password") ? [{ type: "m.login.password" }] : []),
  ];
}
