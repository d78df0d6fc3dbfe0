import { randomBytes } from "node:crypto";
import { startPages } from "../../../demo/server/pages.js";
import { POLICY, folder } from "../../e2e/testbed.js";
import { startReverseProxy } from "./reverse-proxy.js";
import { startGlewlwyd } from "./glewlwyd.js";
import { startHomeserver } from "./homeserver.js";
import {
  ALICE,
  API_SCOPE,
  addClient,
  addConfidentialClient,
  addHomeserverClient,
  addUser,
  addProvider,
  allowScope,
  type Provider,
  type ProviderOptions,
} from "./provider.js";

/** Glewlwyd with its proxy, and homeservers that use it. The pages are those of test/e2e. */
export interface Testbed {
  /** The URL of test/e2e/pages, under a strict content security policy. */
  readonly pages: string;
  /** By their name in the options. */
  readonly providers: Readonly<Record<string, Provider>>;
  /** Starts a homeserver with a provider. @returns Its URL. */
  homeserver(provider: string, metadata?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Adds a client as an administrator does. @returns Its ID. */
  addClient(redirectPath?: string): Promise<string>;
  /** Adds the client for a homeserver whose users sign in with this provider. */
  addConfidentialClient(
    client: Parameters<typeof addConfidentialClient>[1],
    redirectUri: string,
  ): Promise<unknown>;
  /** The proxy's further changes to requests and responses. */
  help(what: { readonly scopes: boolean; readonly revocation: boolean }): void;
  takeRequests(): readonly string[];
  log(): string;
  close(): Promise<void>;
}

export async function startTestbed(
  asked: Readonly<Record<string, ProviderOptions>>,
): Promise<Testbed> {
  const front = await startReverseProxy();
  const glewlwyd = await startGlewlwyd(front.origin);
  const pages = await startPages({
    roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
    headers: { "Content-Security-Policy": POLICY },
  });
  await addUser(glewlwyd, ALICE);
  await allowScope(glewlwyd, API_SCOPE, "Your Matrix account");
  const tokenOf = await addHomeserverClient(glewlwyd);
  const providers: Record<string, Provider> = {};
  for (const [name, options] of Object.entries(asked)) {
    providers[name] = await addProvider(glewlwyd, front.origin, name, options);
  }
  let helped = { scopes: true, revocation: true };
  front.passTo(glewlwyd.origin, () => ({
    beforeScope: helped.scopes ? (scope) => allowScope(glewlwyd, scope, "This device") : undefined,
    tokenToRevoke: helped.revocation ? tokenOf : undefined,
  }));

  const closes = [pages.close, front.close, glewlwyd.close];
  return {
    pages: pages.origin,
    providers,
    async homeserver(name, metadata = {}) {
      const provider = providers[name];
      if (!provider) throw new Error(`No provider ${name}`);
      const homeserver = await startHomeserver({ provider, tokenOf, metadata });
      closes.push(homeserver.close);
      return homeserver.baseUrl;
    },
    async addClient(redirectPath = "/callback.html") {
      const clientId = `client-${randomBytes(4).toString("hex")}`;
      await addClient(glewlwyd, clientId, [pages.origin + redirectPath], "Known client");
      return clientId;
    },
    addConfidentialClient: (client, redirectUri) =>
      addConfidentialClient(glewlwyd, client, redirectUri),
    help: (what) => void (helped = what),
    takeRequests: front.takeRequests,
    log: glewlwyd.log,
    async close() {
      await Promise.all(closes.map((close) => close()));
    },
  };
}
