// @ts-check
import { createAccounts } from "../accounts.js";
import { startAuthorizationServer } from "../authorization-server.js";
import { startHomeserver } from "../homeserver.js";
import { startPages } from "../pages.js";

/** The homeserver in the pages' HTML, which also work without this server. */
const WRITTEN_HOMESERVER = "localhost:8008";

/** The homeserver with passwords instead of OAuth 2.0 in the pages' HTML. */
const WRITTEN_PASSWORD_HOMESERVER = "localhost:8009";

const HOMESERVER_PORT = 8008;
const PASSWORD_HOMESERVER_PORT = 8009;
const AUTHORIZATION_SERVER_PORT = 8090;

/**
 * @typedef {object} Demo
 * @property {string} address the URL to open
 * @property {string} homeserver the homeserver to which the pages sign in
 * @property {string} passwordHomeserver the demo's homeserver without an authorization server
 * @property {boolean} own whether the homeserver is the demo's
 * @property {string | undefined} clientUri
 * @property {string[]} notes the differences from the requested options
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} root the project's folder, with a slash at the end
 * @param {import("./arguments.js").DemoOptions} options
 * @returns {Promise<Demo>}
 */
export async function startDemo(root, { homeserver, clientUri, port }) {
  /** @type {string[]} */
  const notes = [];
  /** @type {{ close: () => Promise<void> }[]} */
  const servers = [];

  /**
   * @template {{ close: () => Promise<void> }} T
   * @param {string} what
   * @param {number} wanted
   * @param {(port: number) => Promise<T>} start
   */
  const onPort = async (what, wanted, start) => {
    const server = await start(wanted).catch((error) => {
      if (error?.code !== "EADDRINUSE" && error?.code !== "EACCES") throw error;
      notes.push(`Port ${wanted} is not free, so ${what} uses another.`);
      return start(0);
    });
    servers.push(server);
    return server;
  };

  /** @type {import("../authorization-server.js").AuthorizationServer | undefined} */
  let provider;
  if (homeserver === undefined) {
    const accounts = createAccounts();
    const authorizationServer = await onPort(
      "the authorization server",
      AUTHORIZATION_SERVER_PORT,
      (free) => startAuthorizationServer({ port: free, accounts, loopbackPorts: "none" }),
    );
    provider = authorizationServer;
    await onPort("the homeserver", HOMESERVER_PORT, async (free) => {
      const started = await startHomeserver({ port: free, authorizationServer });
      homeserver = started.serverName;
      return started;
    });
  }
  const passwords = await onPort(
    "the homeserver with passwords",
    PASSWORD_HOMESERVER_PORT,
    (free) => startPasswordHomeserver(free, provider),
  );
  const signedInTo = homeserver ?? WRITTEN_HOMESERVER;

  const pages = await onPort("the demo", port, (free) =>
    startPages({
      port: free,
      // The pages have inline scripts, for readers of their source. docs/guides/content-security-policy.md has policies for apps.
      headers: {
        "Content-Security-Policy":
          "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      },
      // On this host, apps under development can sign in with every provider; on localhost, only with some.
      hostname: "127.0.0.1",
      roots: {
        "/": `${root}demo/pages`,
        "/script-tag/": `${root}demo/script-tag`,
        "/dist/": `${root}dist`,
        "/node_modules/": `${root}node_modules`,
      },
      replace: [
        [WRITTEN_HOMESERVER, forAttribute(signedInTo)],
        [WRITTEN_PASSWORD_HOMESERVER, passwords.serverName],
        ['data-client-uri=""', `data-client-uri="${forAttribute(clientUri ?? "")}"`],
      ],
    }),
  );

  return {
    address: pages.origin,
    homeserver: signedInTo,
    passwordHomeserver: passwords.serverName,
    own: servers.length > 2,
    clientUri,
    notes,
    // The pages close first, so that they start nothing new while the servers behind them stop.
    close: async () => {
      for (const server of servers.reverse()) await server.close();
    },
  };
}

/**
 * A homeserver that requires UIA, and an account with several devices. If the demo has a provider, users can
 * sign in with it too.
 *
 * @param {number} port
 * @param {import("../authorization-server.js").AuthorizationServer} [provider]
 */
async function startPasswordHomeserver(port, provider) {
  const sso = provider && { provider, name: "Lantern" };
  const started = await startHomeserver({ port, ...(sso && { sso }) });
  const others = { KITCHEN: "Kitchen tablet", ATTIC: "Old laptop", LOST: "Phone, lost in June" };
  const alice = started.servers.account("alice");
  alice?.emails.push("alice@lantern.example");
  for (const [device_id, display_name] of Object.entries(others)) {
    alice?.devices.push({ device_id, display_name, last_seen_ts: Date.now() });
  }
  return started;
}

/** @param {string} text */
function forAttribute(text) {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}
