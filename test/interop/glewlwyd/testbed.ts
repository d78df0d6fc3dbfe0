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

/** Glewlwyd with its front, and what homeservers delegate to it; the pages are those of test/e2e. */
export interface Testbed {
  /** The URL of test/e2e/pages, under a strict content security policy. */
  readonly pages: string;
  /** By the names that were given. */
  readonly providers: Readonly<Record<string, Provider>>;
  /** A homeserver in front of a provider; gives its address. */
  homeserver(provider: string, metadata?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Makes a client beforehand, as an administrator may, and gives its id. */
  addClient(redirectPath?: string): Promise<string>;
  /** Makes the client of a homeserver whose users sign in here. */
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
