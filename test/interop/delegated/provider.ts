import Router from "@koa/router";
import { createAccounts } from "../../../demo/server/accounts.js";
import {
  ACCOUNT_ACTIONS,
  ACCOUNT_PATH,
  accountRoutes,
} from "../../../demo/server/authorization-server/account-page.js";
import { allowRegistrationFromBrowsers } from "../../../demo/server/authorization-server/client-registration.js";
import { configuration, ROUTES } from "../../../demo/server/authorization-server/configuration.js";
import { trackDeviceSessions } from "../../../demo/server/authorization-server/device-sessions.js";
import { interactionRoutes } from "../../../demo/server/authorization-server/interaction-routes.js";
import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import { errorPages } from "../../../demo/server/authorization-server/serving.js";
import { generateSigningKeys } from "../../../demo/server/authorization-server/signing-keys.js";
import { createViews, STYLE_PATH } from "../../../demo/server/authorization-server/views.js";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import { addIntrospection } from "./introspection.js";
import type { OidcProvider, ProviderContext, ProviderToken } from "./provider-types.js";
import { noticesTo } from "./provisioning.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;
export type Faults = import("../../../demo/server/faults.js").Faults;
type LoggedRequest = import("../../../demo/server/loopback.js").LoggedRequest;

/** An authorization server for a Synapse. */
export interface DelegatedProvider {
  readonly issuer: string;
  readonly accounts: Accounts;
  /** The server's faults, by the end of their path. */
  readonly faults: Faults;
  readonly requestLog: LoggedRequest[];
  /** Removes a user's last access tokens, but no refresh token, as if the tokens were lost. */
  loseAccessTokens(localpart: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts oidc-provider with the demo's configuration and pages, and with introspection and
 * provisioning, which a real homeserver needs.
 *
 * @param synapse The Synapse, which may start later: it is used when a user signs in.
 * @param faults The provider's faults from the start.
 */
export async function startProvider(
  synapse: { readonly baseUrl: string; readonly serverName: string; readonly secret: string },
  faults: Faults,
): Promise<DelegatedProvider> {
  const requestLog: LoggedRequest[] = [];
  const accounts = createAccounts([]);
  const loopback = await listenOnLoopback(0, {
    server: "authorization-server",
    requestLog,
    faults,
  });
  const { origin: issuer, port, close } = loopback;
  const serverName = (): string => synapse.serverName;
  const views = createViews({ issuerPath: "", serverName, frameAncestors: "'none'" });
  const provider: OidcProvider = new Provider(
    issuer,
    configuration({
      accounts,
      views,
      jwks: await generateSigningKeys(),
      accountManagementUri: issuer + ACCOUNT_PATH,
      accountActions: [...ACCOUNT_ACTIONS, "org.matrix.account_deactivate"],
      port,
    }),
  );
  provider.use(errorPages(views));
  provider.use(allowRegistrationFromBrowsers(ROUTES.registration));
  const homeserver = noticesTo(synapse.baseUrl, synapse.secret);
  const devices = trackDeviceSessions({ provider, accounts, homeserver });
  const lastTokens = new Map<string, ProviderToken>();
  provider.use(async (ctx: ProviderContext, next) => {
    await next();
    const token = ctx.oidc?.entities.AccessToken;
    if (token && ctx.oidc?.route === "token") lastTokens.set(token.grantId, token);
  });

  const router = new Router();
  router.get(STYLE_PATH, views.style);
  addIntrospection(router, { provider, accounts, secret: synapse.secret });
  provider.use(router.routes());
  const given = { provider, accounts, views, serverName };
  provider.use(accountRoutes({ ...given, devices, homeserver }).routes());
  provider.use(interactionRoutes({ ...given, autoApprove: undefined }).routes());
  loopback.serve(provider.callback());
  return {
    ...{ issuer, accounts, faults, requestLog, close },
    async loseAccessTokens(localpart) {
      const signedIn = devices.of(localpart);
      await Promise.all(signedIn.map(({ grantId }) => lastTokens.get(grantId)?.destroy()));
    },
  };
}
