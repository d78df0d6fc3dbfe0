import Router from "@koa/router";
import { createAccounts } from "../../../demo/server/accounts.js";
import {
  ACCOUNT_ACTIONS,
  ACCOUNT_PATH,
} from "../../../demo/server/authorization-server/account-page.js";
import { allowRegistrationFromBrowsers } from "../../../demo/server/authorization-server/client-registration.js";
import { configuration, ROUTES } from "../../../demo/server/authorization-server/configuration.js";
import { interactionRoutes } from "../../../demo/server/authorization-server/interaction-routes.js";
import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import { errorPages } from "../../../demo/server/authorization-server/serving.js";
import { generateSigningKeys } from "../../../demo/server/authorization-server/signing-keys.js";
import { createViews, STYLE_PATH } from "../../../demo/server/authorization-server/views.js";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import { addAccountPage } from "./account-page.js";
import { DeviceSessions } from "./device-sessions.js";
import { addIntrospection } from "./introspection.js";
import type { OidcProvider } from "./provider-types.js";
import { provisioningOf } from "./provisioning.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;
export type Faults = import("../../../demo/server/faults.js").Faults;
type LoggedRequest = import("../../../demo/server/loopback.js").LoggedRequest;

/** An authorization server that a Synapse delegates to. */
export interface DelegatedProvider {
  readonly issuer: string;
  readonly accounts: Accounts;
  readonly sessions: DeviceSessions;
  /** By the end of a path: what the server does wrong. */
  readonly faults: Faults;
  readonly requestLog: LoggedRequest[];
  close(): Promise<void>;
}

/**
 * Starts oidc-provider with the demo's configuration and pages, and with what a real homeserver needs
 * of it beside: introspection, provisioning, and an account page that does what it says.
 *
 * @param synapse Where the Synapse will be; it is told of nobody before somebody signs in.
 * @param faults What it does wrong from the start.
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
      onRevoke: () => undefined,
    }),
  );
  const provisioning = provisioningOf(synapse.baseUrl, synapse.secret);
  provider.use(errorPages(views));
  provider.use(allowRegistrationFromBrowsers(ROUTES.registration));
  const sessions = new DeviceSessions(provider, accounts, provisioning);

  const router = new Router();
  router.get(STYLE_PATH, views.style);
  addIntrospection(router, { provider, accounts, secret: synapse.secret });
  addAccountPage(router, { provider, accounts, sessions, synapse: provisioning });
  provider.use(router.routes());
  provider.use(
    interactionRoutes({ provider, accounts, views, serverName, autoApprove: undefined }).routes(),
  );
  loopback.serve(provider.callback());
  return { issuer, accounts, sessions, faults, requestLog, close };
}
