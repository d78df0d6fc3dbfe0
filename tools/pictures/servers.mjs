// Two homeservers with presentable names, and the pages.
import { createTestServers } from "../../dist/testing/index.js";
import { startPages } from "../../demo/server/pages.js";

/** @typedef {Awaited<ReturnType<typeof startServers>>} Servers */

export async function startServers() {
  const laptop = { device_id: "LAPTOP", display_name: "Old laptop", last_seen_ts: Date.now() };
  /** This homeserver signs users in itself. */
  const homeserver = await createTestServers({
    homeserver: "https://example.org",
    serverName: "example.org",
    login: ["sso", "password"],
    identityProviders: [{ id: "example-id", name: "Example ID" }],
    accounts: { alice: { devices: [laptop] } },
  });
  /** This homeserver signs users in with a provider. */
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
     * Serves the homeservers under their names, and blocks all other requests.
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
