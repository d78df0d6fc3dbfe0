// @ts-check
import { createAccounts } from "../accounts.js";
import { startAuthorizationServer } from "../authorization-server.js";
import { startHomeserver } from "../homeserver.js";
import { startPages } from "../pages.js";

/** The homeserver as it is written in the pages, which are readable without this server too. */
const WRITTEN_HOMESERVER = "localhost:8008";

const HOMESERVER_PORT = 8008;
const AUTHORIZATION_SERVER_PORT = 8090;

/**
 * @typedef {object} Demo
 * @property {string} address what to open
 * @property {string} homeserver what the pages sign in to
 * @property {boolean} own whether the homeserver is the demo's own
 * @property {string | undefined} clientUri
 * @property {string[]} notes what came out otherwise than asked
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
      notes.push(`Port ${wanted} is not free, so ${what} took another.`);
      return start(0);
    });
    servers.push(server);
    return server;
  };

  if (homeserver === undefined) {
    const accounts = createAccounts();
    const authorizationServer = await onPort(
      "the authorization server",
      AUTHORIZATION_SERVER_PORT,
      (free) => startAuthorizationServer({ port: free, accounts }),
    );
    await onPort("the homeserver", HOMESERVER_PORT, async (free) => {
      const started = await startHomeserver({ port: free, authorizationServer });
      homeserver = started.serverName;
      return started;
    });
  }
  const signedInTo = homeserver ?? WRITTEN_HOMESERVER;

  const pages = await onPort("the demo", port, (free) =>
    startPages({
      port: free,
      roots: {
        "/": `${root}demo/pages`,
        "/script-tag/": `${root}demo/script-tag`,
        "/dist/": `${root}dist`,
        "/node_modules/": `${root}node_modules`,
      },
      replace: [
        [WRITTEN_HOMESERVER, forAttribute(signedInTo)],
        ['data-client-uri=""', `data-client-uri="${forAttribute(clientUri ?? "")}"`],
      ],
    }),
  );

  return {
    address: pages.origin,
    homeserver: signedInTo,
    own: servers.length > 1,
    clientUri,
    notes,
    // The pages first: nothing new begins while the servers behind them stop.
    close: async () => {
      for (const server of servers.reverse()) await server.close();
    },
  };
}

/** @param {string} text */
function forAttribute(text) {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}
