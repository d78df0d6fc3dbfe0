// @ts-check
import Router from "@koa/router";
import {
  ACCOUNT_PATH,
  accountRoutes,
  createResetPermissions,
} from "./authorization-server/account-page.js";
import { allowRegistrationFromBrowsers } from "./authorization-server/client-registration.js";
import { matchPortsOfNumbersOnly } from "./authorization-server/client-rules.js";
import { configuration, ROUTES } from "./authorization-server/configuration.js";
import { trackDeviceSessions } from "./authorization-server/device-sessions.js";
import { respondLikeMas } from "./authorization-server/like-mas.js";
import { interactionRoutes } from "./authorization-server/interaction-routes.js";
import { deviceIdOf } from "./authorization-server/matrix-scopes.js";
import { Provider } from "./authorization-server/provider-library.js";
import { below, errorPages, readDiscoveryDocument } from "./authorization-server/serving.js";
import { generateSigningKeys } from "./authorization-server/signing-keys.js";
import { createViews, STYLE_PATH } from "./authorization-server/views.js";
import { listenOnLoopback } from "./loopback.js";

/**
 * @typedef {object} AuthorizationServerOptions
 * @property {number} [port] 0 takes a free one
 * @property {string} [issuerPath] such as `/realms/demo`; every endpoint is below it
 * @property {import("./accounts.js").Accounts} accounts
 * @property {string} [serverName]
 *   the part of user ids after the colon; a homeserver that uses this server gives its own name
 *   where this is left out
 * @property {string} [accountManagementUri] default: a page of this server
 * @property {string} [autoApprove]
 *   the localpart that is signed in and consents without a page, for tests in frames
 * @property {import("./authorization-server/client-rules.js").LoopbackPorts} [loopbackPorts]
 *   the rules for redirect URIs on loopback hosts; default: `any`
 * @property {(model: string) => object} [adapter] the store of the tokens; default: in memory
 * @property {string} [frameAncestors] sites that may frame the pages; default `'none'`
 * @property {import("./loopback.js").LoggedRequest[]} [requestLog]
 * @property {import("./faults.js").Faults} [faults]
 */

/**
 * @typedef {object} Introspection
 * @property {string} localpart
 * @property {string} [displayName]
 * @property {string | null} deviceId
 * @property {string} scope
 * @property {string | null} clientName
 */

/**
 * @typedef {object} AuthorizationServer
 * @property {string} issuer
 * @property {string} origin
 * @property {string} accountManagementUri
 * @property {import("./accounts.js").Accounts} accounts
 * @property {string | undefined} serverName as it was given
 * @property {(homeserver: ConnectedHomeserver) => void} connect
 *   uses the homeserver's name if none was given, and notifies the homeserver of changes
 * @property {() => Promise<Record<string, unknown>>} metadata the discovery document
 * @property {(accessToken: string) => Promise<Introspection | null>} introspect null: not valid
 * @property {(localpart: string) => boolean} crossSigningResetAllowed
 *   whether a user has allowed it on the account page
 * @property {() => Promise<void>} close
 */

/** @import { HomeserverNotices } from "./authorization-server/device-sessions.js" */
/** @typedef {Pick<HomeserverNotices, "deleteDevice" | "deactivateUser"> & { serverName: string }} ConnectedHomeserver */

/**
 * Starts an OpenID provider that behaves like a Matrix homeserver's authorization server.
 *
 * @param {AuthorizationServerOptions} options
 * @returns {Promise<AuthorizationServer>}
 */
export async function startAuthorizationServer(options) {
  const { port = 0, issuerPath = "", accounts, autoApprove, frameAncestors = "'none'" } = options;
  const jwks = await generateSigningKeys();
  const loopback = await listenOnLoopback(port, {
    server: "authorization-server",
    ...(options.requestLog && { requestLog: options.requestLog }),
    ...(options.faults && { faults: options.faults }),
  });
  const issuer = loopback.origin + issuerPath;
  const accountManagementUri = options.accountManagementUri ?? issuer + ACCOUNT_PATH;

  const resets = createResetPermissions();

  /** @type {AuthorizationServer} */
  const server = {
    issuer,
    origin: loopback.origin,
    accountManagementUri,
    accounts,
    serverName: options.serverName,
    connect(homeserver) {
      shownServerName = options.serverName ?? homeserver.serverName;
      homeservers.push(homeserver);
    },
    metadata: async () => structuredClone(document),

    async introspect(accessToken) {
      const token = await provider.AccessToken.find(accessToken);
      const account = token && accounts.find(token.accountId);
      if (!account || accounts.isLocked(account.localpart)) return null;
      const client = await provider.Client.find(token.clientId);
      return {
        localpart: account.localpart,
        displayName: account.displayName,
        deviceId: deviceIdOf(token.scope),
        scope: token.scope,
        clientName: client?.clientName ?? null,
      };
    },

    crossSigningResetAllowed: resets.has,

    close: loopback.close,
  };
  /** @type {ConnectedHomeserver[]} */
  const homeservers = [];
  /** @type {HomeserverNotices} */
  const notices = {
    deleteDevice: (device) => homeservers.forEach((each) => each.deleteDevice(device)),
    deactivateUser: (localpart) => homeservers.forEach((each) => each.deactivateUser(localpart)),
    allowCrossSigningReset: resets.allow,
  };

  let shownServerName = options.serverName ?? "localhost";
  const serverName = () => shownServerName;
  const views = createViews({ issuerPath, serverName, frameAncestors });
  const provider = new Provider(
    issuer,
    configuration({
      accounts,
      views,
      jwks,
      accountManagementUri,
      port: loopback.port,
      ...(options.adapter && { adapter: options.adapter }),
      ...(options.loopbackPorts && { loopbackPorts: options.loopbackPorts }),
    }),
  );

  if (options.loopbackPorts === "none") matchPortsOfNumbersOnly(provider);

  const router = new Router();
  router.get(STYLE_PATH, views.style);
  provider.use(respondLikeMas(ROUTES.token));
  provider.use(errorPages(views));
  provider.use(allowRegistrationFromBrowsers(ROUTES.registration));
  const devices = trackDeviceSessions({ provider, accounts, homeserver: notices });
  const given = { provider, accounts, views, serverName };
  provider.use(router.routes());
  provider.use(accountRoutes({ ...given, devices, homeserver: notices }).routes());
  provider.use(interactionRoutes({ ...given, autoApprove }).routes());

  const handler = below(issuerPath, provider.callback());
  const document = await readDiscoveryDocument(issuer, issuerPath, handler);
  loopback.serve(handler);
  return server;
}
