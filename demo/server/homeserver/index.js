// @ts-check
import Router from "@koa/router";
import Koa from "koa";
import { createAccounts } from "../accounts.js";
import { listenOnLoopback } from "../loopback.js";
import { createAccessTokens, TOKEN_LIFETIMES } from "./access-tokens.js";
import { addAccountRoutes } from "./account-routes.js";
import { addControlRoutes } from "./control-routes.js";
import { addFallbackRoutes } from "./fallback-routes.js";
import { addKeysRoutes } from "./keys-routes.js";
import { addLoginRoutes } from "./login-routes.js";
import { createLoginTokens } from "./login-tokens.js";
import { addMediaRoutes } from "./media-routes.js";
import { addProtectedRoutes } from "./protected-routes.js";
import { addSsoRoutes } from "./sso-routes.js";
import { addThreePidRoutes } from "./threepid-routes.js";
import { createThreePids } from "./threepids.js";
import { createSessions } from "./uia/sessions.js";
import { uiaSettings } from "./uia/settings.js";
import { allowEveryOrigin } from "./cors.js";
import { createDevices } from "./devices.js";
import { addDiscoveryRoutes, addWellKnownRoutes } from "./discovery-routes.js";
import { createLimits } from "./limits.js";
import { sendErrors, unrecognized } from "./errors.js";

/** @import { AuthorizationServer } from "../authorization-server.js" */
/** @import { LoggedRequest } from "../loopback.js" */

/**
 * From which step on a client finds the metadata of the authorization server; `none` is a homeserver
 * that has no authorization server.
 *
 * @typedef {"stable" | "unstable" | "auth_issuer" | "well-known" | "none"} Discovery
 */

/**
 * What the routes work with.
 *
 * @typedef {object} Homeserver
 * @property {string} baseUrl without a slash at the end
 * @property {string} serverName
 * @property {Discovery} discovery
 * @property {AuthorizationServer | null} authorizationServer null: the legacy API is on
 * @property {import("../accounts.js").Accounts} accounts
 * @property {import("./devices.js").Devices} devices
 * @property {import("./access-tokens.js").AccessTokens} tokens
 * @property {import("./limits.js").Limits} limits
 * @property {import("./login-tokens.js").LoginTokens} loginTokens
 * @property {string | null} mediaRedirect a URL of another server that has all media
 * @property {import("./sso-routes.js").SsoSettings | null} sso
 * @property {import("./threepids.js").ThreePids} threepids
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./uia/settings.js").UiaSettings} uia
 * @property {import("./uia/sessions.js").Sessions} sessions
 */

/**
 * @typedef {object} HomeserverOptions
 * @property {number} [port] 0 takes a free one
 * @property {AuthorizationServer | null} [authorizationServer]
 * @property {Discovery} [discovery] default: `stable` with an authorization server, else `none`
 * @property {string} [basePath] such as `/matrix`: everything but the well-known file is below it
 * @property {string} [serverName] default: the authorization server's, else `localhost:PORT`
 * @property {import("../accounts.js").Accounts} [accounts] default: the authorization server's
 * @property {Partial<import("./uia/settings.js").UiaSettings>} [uia]
 * @property {import("./sso-routes.js").SsoSettings} [sso]
 *   with an authorization server: the legacy API remains for clients without OAuth 2.0
 * @property {string} [mediaRedirect] default: it sends media itself
 * @property {Partial<import("./access-tokens.js").TokenLifetimes>} [tokenLifetimes] as `sso`
 * @property {LoggedRequest[]} [requestLog]
 * @property {import("../faults.js").Faults} [faults]
 */

/**
 * @typedef {object} RunningHomeserver
 * @property {string} baseUrl
 * @property {string} serverName
 * @property {import("./devices.js").Devices} devices
 * @property {import("./threepids.js").ThreePids} threepids
 * @property {import("./uia/settings.js").UiaSettings} uia may be changed while it runs
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./access-tokens.js").TokenLifetimes} tokenLifetimes may be changed while it runs
 * @property {LoggedRequest[]} requests the `requestLog`, or a log of its own
 * @property {() => Promise<void>} close
 */

/**
 * Starts a homeserver that holds its accounts and devices in memory, and has the part of the
 * client-server API that signing in needs.
 *
 * @param {HomeserverOptions} [options]
 * @returns {Promise<RunningHomeserver>}
 */
export async function startHomeserver(options = {}) {
  const { port = 0, basePath = "", requestLog: requests = [], faults } = options;
  const delegated = options.authorizationServer ?? null;
  const discovery = options.discovery ?? (delegated ? "stable" : "none");
  if (!delegated && discovery !== "none") {
    throw new TypeError(`Discovery "${discovery}" needs an authorization server`);
  }
  const authorizationServer = discovery === "none" ? null : delegated;

  const loopback = await listenOnLoopback(port, {
    server: "homeserver",
    requestLog: requests,
    ...(faults && { faults }),
  });
  const serverName =
    options.serverName ?? authorizationServer?.serverName ?? `localhost:${loopback.port}`;
  // Its pages show whole user ids, which only the homeserver knows.
  authorizationServer?.adoptServerName(serverName);

  const uia = uiaSettings(options.uia);
  const tokenLifetimes = { ...TOKEN_LIFETIMES, ...options.tokenLifetimes };
  /** @type {import("./outbox.js").Outbox} */
  const outbox = [];

  /** @type {Homeserver} */
  const homeserver = {
    baseUrl: loopback.origin + basePath,
    serverName,
    discovery,
    authorizationServer,
    accounts: options.accounts ?? authorizationServer?.accounts ?? createAccounts(),
    devices: createDevices(),
    tokens: createAccessTokens(tokenLifetimes),
    limits: createLimits(uia),
    loginTokens: createLoginTokens(),
    sso: options.sso ?? null,
    mediaRedirect: options.mediaRedirect ?? null,
    threepids: createThreePids({ outbox, baseUrl: () => loopback.origin + basePath }),
    outbox,
    uia,
    sessions: createSessions(uia),
  };

  // A device is gone with its tokens.
  authorizationServer?.onSignOut(({ localpart, deviceId }) => {
    homeserver.devices.remove(`@${localpart}:${serverName}`, deviceId);
  });

  const atRoot = new Router({ strict: true });
  addWellKnownRoutes(atRoot, homeserver);
  const router = new Router({ strict: true, prefix: basePath });
  addDiscoveryRoutes(router, homeserver);
  addAccountRoutes(router, homeserver);
  addKeysRoutes(router, homeserver);
  addMediaRoutes(router, homeserver);
  if (homeserver.sso) addSsoRoutes(router, homeserver, homeserver.sso);
  if (homeserver.sso || !authorizationServer) addLoginRoutes(router, homeserver);
  if (!authorizationServer) {
    addProtectedRoutes(router, homeserver);
    addThreePidRoutes(router, homeserver);
    addFallbackRoutes(router, homeserver);
    addControlRoutes(router, homeserver);
  }

  const app = new Koa();
  app.use(allowEveryOrigin());
  app.use(sendErrors());
  app.use(atRoot.routes());
  app.use(router.routes());
  app.use((ctx) => {
    // A path that exists, with another method.
    const known = [atRoot, router].some((each) => each.match(ctx.path, ctx.method).path.length > 0);
    throw unrecognized(known ? 405 : 404);
  });

  loopback.serve(app.callback());
  const { baseUrl, devices, threepids } = homeserver;
  const { close } = loopback;
  return {
    baseUrl,
    serverName,
    devices,
    threepids,
    uia,
    outbox,
    tokenLifetimes,
    requests,
    close,
  };
}
