// The demo's servers for the pictures. In a page they are at `example.org`, because no picture may
// show a port of this machine.
import { fileURLToPath } from "node:url";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";

/** @typedef {import("playwright-core").BrowserContext} BrowserContext */

const SERVER_NAME = "example.org";
const HOMESERVER = `https://${SERVER_NAME}`;

/** @param {string} path */
const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export async function startServers() {
  const provider = await startAuthorizationServer({
    accounts: createAccounts(),
    autoApprove: "alice",
  });
  const delegating = await startHomeserver({ authorizationServer: provider });
  const homeserver = await startHomeserver({
    serverName: SERVER_NAME,
    sso: { provider, name: "Example ID" },
  });
  const laptop = { device_id: "LAPTOP", display_name: "Old laptop", last_seen_ts: Date.now() };
  homeserver.servers.account("alice")?.devices.push(laptop);
  const pages = await startPages({
    roots: { "/": folder("tools/pictures"), "/dist/": folder("dist") },
  });
  return {
    /** Signs users in itself. */
    homeserver,
    /** Signs users in with a provider. */
    delegating: delegating.serverName,
    tokenEndpoint: `${provider.issuer}/oauth2/token`,
    page: `${pages.origin}/page.html`,

    /** Puts the homeserver at its name, and takes everything else off the network. @param {BrowserContext} context */
    async connect(context) {
      await context.route(
        (url) => url.hostname !== "localhost",
        async (route) => {
          const request = route.request();
          const { origin, pathname, search } = new URL(request.url());
          if (origin !== HOMESERVER) return route.abort();
          const response = await fetch(`${homeserver.baseUrl}${pathname}${search}`, {
            method: request.method(),
            headers: await request.allHeaders(),
            body: request.postData(),
          });
          const text = await response.text();
          return route.fulfill({
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: text.replaceAll(homeserver.baseUrl, HOMESERVER),
          });
        },
      );
    },

    async close() {
      for (const server of [pages, homeserver, delegating, provider]) await server.close();
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startServers>>} Servers */
