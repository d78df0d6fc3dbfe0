// @ts-check
import { parseArgs } from "node:util";

export const HELP = `Usage: npm start -- [options]

Starts the demo on this machine: its pages, a homeserver, and an authorization
server.

Options:
  --homeserver <name>   sign in to this homeserver instead of the demo's:
                        a server name or a URL (https://example.org)
  --client-uri <url>    the app's home page, as registered
  --port <number>       the port of the pages (default 8080)
  --help                show this`;

/**
 * @typedef {object} DemoOptions
 * @property {string | undefined} homeserver
 * @property {string | undefined} clientUri
 * @property {number} port
 * @property {boolean} help
 */

/**
 * @param {string[]} parameters
 * @returns {DemoOptions | { mistake: string }}
 */
export function readArguments(parameters) {
  try {
    const { values } = parseArgs({
      args: parameters,
      options: {
        homeserver: { type: "string" },
        "client-uri": { type: "string" },
        port: { type: "string", default: "8080" },
        help: { type: "boolean", default: false },
      },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      return { mistake: `--port needs a number from 0 to 65535, not "${values.port}".` };
    }
    const clientUri = values["client-uri"];
    if (clientUri !== undefined && !/^https?:\/\//.test(clientUri)) {
      return { mistake: `--client-uri needs an address with https://, not "${clientUri}".` };
    }
    return { homeserver: values.homeserver, clientUri, port, help: values.help };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}
