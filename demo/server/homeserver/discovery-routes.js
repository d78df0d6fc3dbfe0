// @ts-check
import { unrecognized } from "./errors.js";
import { ssoFlow } from "./sso-routes.js";

const STABLE = "/_matrix/client/v1/auth_metadata";
const UNSTABLE = "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata";
const AUTH_ISSUER = "/_matrix/client/unstable/org.matrix.msc2965/auth_issuer";

/**
 * Which of the three ways to the metadata are open, by the first that works. After all of them
 * comes the key in the well-known file, which every delegating server here has.
 *
 * @type {Record<import("./index.js").Discovery, readonly string[]>}
 */
const OPEN = {
  stable: [STABLE, UNSTABLE, AUTH_ISSUER],
  unstable: [UNSTABLE, AUTH_ISSUER],
  auth_issuer: [AUTH_ISSUER],
  "well-known": [],
  none: [],
};

// What Synapse 1.160 announces, also where it serves `v1/auth_metadata` of v1.15: a client that
// looks here first never asks.
const VERSIONS = [
  ...["r0.0.1", "r0.1.0", "r0.2.0", "r0.3.0", "r0.4.0", "r0.5.0", "r0.6.0", "r0.6.1"],
  ...Array.from({ length: 12 }, (_, minor) => `v1.${minor + 1}`),
];

// Synapse's own, which browsers obey.
const CACHED = "public, max-age=600, s-maxage=3600, stale-while-revalidate=600";

/**
 * The file that leads from a server name to the homeserver. Never below the homeserver's path.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addWellKnownRoutes(router, { baseUrl, authorizationServer }) {
  router.get("/.well-known/matrix/client", (ctx) => {
    ctx.body = {
      // The slash is there to be met: servers write it.
      "m.homeserver": { base_url: `${baseUrl}/` },
      ...(authorizationServer && {
        "org.matrix.msc2965.authentication": {
          issuer: authorizationServer.issuer,
          account: authorizationServer.accountManagementUri,
        },
      }),
    };
  });
}

/**
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addDiscoveryRoutes(router, { authorizationServer, discovery, sso }) {
  router.get("/_matrix/client/versions", (ctx) => {
    ctx.body = { versions: VERSIONS, unstable_features: {} };
  });

  /** @param {string} path */
  const serverBehind = (path) => {
    if (!authorizationServer || !OPEN[discovery].includes(path)) throw unrecognized();
    return authorizationServer;
  };

  for (const path of [STABLE, UNSTABLE]) {
    router.get(path, async (ctx) => {
      ctx.body = await serverBehind(path).metadata();
      ctx.set("Cache-Control", CACHED);
    });
  }

  router.get(AUTH_ISSUER, (ctx) => {
    ctx.body = { issuer: serverBehind(AUTH_ISSUER).issuer };
    ctx.set("Cache-Control", CACHED);
  });

  router.get("/_matrix/client/v3/login", (ctx) => {
    // With an authorization server alone there is no such endpoint any more, which is how an old client
    // learns that it cannot sign in here.
    if (authorizationServer && !sso) throw unrecognized();
    // Beside it, the flow tells clients that know OAuth 2.0 to use that instead.
    const preferred = authorizationServer && { oauth_aware_preferred: true };
    ctx.body = {
      flows: [
        ...(sso ? [{ ...ssoFlow(sso), ...preferred }] : []),
        { type: "m.login.token", get_login_token: true },
        { type: "m.login.password" },
      ],
    };
  });
}
