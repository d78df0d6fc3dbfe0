import type { Environment } from "./environment.js";
import { json, type Json, type Routes, unrecognized } from "./exchange.js";
import type { Discovery } from "./options.js";
import { metadataOf } from "./provider.js";

/** The discovery steps, in the order in which clients try them. */
const METADATA_WAYS: readonly Discovery[] = ["stable", "unstable", "auth_issuer", "well-known"];

// Synapse 1.160 does not list v1.15, although it serves `v1/auth_metadata`. So clients must not
// look here first.
const VERSIONS = [
  ...["r0.0.1", "r0.1.0", "r0.2.0", "r0.3.0", "r0.4.0", "r0.5.0", "r0.6.0", "r0.6.1"],
  ...Array.from({ length: 12 }, (_, minor) => `v1.${minor + 1}`),
];

// Synapse's headers.
const CACHED = {
  "Cache-Control": "public, max-age=600, s-maxage=3600, stale-while-revalidate=600",
};

/**
 * The well-known file, by its URLs: on the server name, and on the homeserver itself.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#getwell-knownmatrixclient
 */
export function wellKnownRoutes(environment: Environment): Readonly<Record<string, Routes>> {
  const { homeserver, serverName, issuer, accountPage: account, login } = environment;
  const { origin, protocol } = new URL(homeserver);
  // A homeserver on this machine can have the server name of another machine.
  const origins = new Set([origin, `${protocol}//${serverName}`, `https://${serverName}`]);
  const respond = () => ({
    // Servers add a slash at its end.
    "m.homeserver": { base_url: `${homeserver}/` },
    ...(login.includes("oauth") && { "org.matrix.msc2965.authentication": { issuer, account } }),
  });
  const urls = [...origins].map((each) => `${each}/.well-known/matrix/client`);
  return Object.fromEntries(urls.map((url) => [url, { "GET ": respond }]));
}

export function discoveryRoutes(environment: Environment): Routes {
  const { issuer, login } = environment;
  const { discovery = "stable", provider } = environment.options;
  const isOpen = (way: Discovery) =>
    login.includes("oauth") && METADATA_WAYS.indexOf(way) >= METADATA_WAYS.indexOf(discovery);
  const metadata = async () =>
    json(provider ? await provider.metadata() : metadataOf(environment), 200, CACHED);
  return {
    "GET client/versions": () => ({ versions: VERSIONS, unstable_features: {} }),
    ...(isOpen("stable") && { "GET client/v1/auth_metadata": metadata }),
    ...(isOpen("unstable") && {
      "GET client/unstable/org.matrix.msc2965/auth_metadata": metadata,
    }),
    ...(isOpen("auth_issuer") && {
      "GET client/unstable/org.matrix.msc2965/auth_issuer": () => json({ issuer }, 200, CACHED),
    }),
    "GET client/v3/login": () => {
      // This tells old clients that they cannot sign in here.
      if (!environment.hasLegacyLogin) throw unrecognized();
      return { flows: loginFlows(environment) };
    },
  };
}

function loginFlows({ login, hasAccounts, options }: Environment): readonly Json[] {
  const { identityProviders = [] } = options;
  const sso = {
    type: "m.login.sso",
    ...(identityProviders.length > 0 && { identity_providers: identityProviders }),
    ...(login.includes("oauth") && { oauth_aware_preferred: true }),
  };
  return [
    ...(login.includes("sso") ? [sso] : []),
    { type: "m.login.token", ...(hasAccounts && { get_login_token: true }) },
    ...(login.includes("password") ? [{ type: "m.login.password" }] : []),
  ];
}
