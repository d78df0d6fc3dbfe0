// Two homeservers, at names that a picture may show, and the pages.
import { createTestServers } from "../../dist/testing/index.js";
import { startPages } from "../../demo/server/pages.js";

/** @typedef {Awaited<ReturnType<typeof startServers>>} Servers */

export async function startServers() {
  const laptop = { device_id: "LAPTOP", display_name: "Old laptop", last_seen_ts: Date.now() };
  /** Signs users in itself. */
  const homeserver = await createTestServers({
    homeserver: "https://example.org",
    serverName: "example.org",
    login: ["sso", "password"],
    identityProviders: [{ id: "example-id", name: "Example ID" }],
    accounts: { alice: { devices: [laptop] } },
  });
  /** Signs users in with a provider. */
  const delegating = await createTestServers({
    homeserver: "https://delegating.example",
    serverName: "delegating.example",
    login: ["oauth"],
  });
  const pages = await startPages({ roots: { "/": "tools/pictures", "/dist/": "dist" } });
  return {
    homeserver,
    page: `${pages.origin}/page.html`,
    close: pages.close,

    /**
     * Puts the homeservers at their names, and takes everything else off the network.
     *
     * @param {import("playwright-core").BrowserContext} context
     */
    async connect(context) {
      await context.route(
        ({ hostname }) => hostname !== "localhost",
        (route) => route.abort(),
      );
      for (const { handles, route } of [homeserver, delegating])
        await context.route(handles, route);
    },
  };
}
