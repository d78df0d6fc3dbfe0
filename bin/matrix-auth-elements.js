#!/usr/bin/env node
// @ts-check
import { parseArgs } from "node:util";
import { ACCOUNTS, startServers } from "./servers.js";

const DEFAULT_PORT = 8008;

const HELP = `Usage: npx matrix-auth-elements [options]

Starts two homeservers for development on this machine, and a page that signs in.
They have rooms without messages, and lose all data when they stop.

Options:
  --port <number>  the first of three free ports in a row (default ${DEFAULT_PORT})
  --help           show this`;

/** A mistake of the user, without a stack. */
class UsageError extends Error {}

function readArguments() {
  if (parseInt(process.versions.node) < 20) {
    throw new UsageError(`Install Node.js 20.3 or newer. This is ${process.versions.node}.`);
  }
  try {
    const { values } = parseArgs({
      options: { port: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
    const port = Number(values.port ?? DEFAULT_PORT);
    if (Number.isInteger(port) && port > 0 && port <= 65533) return { port, help: values.help };
    throw new TypeError(`--port needs a number from 1 to 65533, not "${values.port}".`);
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  }
}

/** @param {import("./servers.js").Servers} servers */
const welcome = ({ page, provider, passwords }) => `
  Open ${page}

  Homeservers:
    ${provider}  with an OAuth 2.0 provider, which asks for no password
    ${passwords}  with passwords

  Accounts:
${Object.entries(ACCOUNTS)
  .map(([user, password]) => `    ${user.padEnd(8)}${password}`)
  .join("\n")}

  Emails and text messages appear here. Stop with Ctrl+C.
`;

try {
  const { port, help } = readArguments();
  if (help) {
    console.log(HELP);
  } else {
    const servers = await startServers(port, (message) => console.log(`  ${message}`));
    console.log(welcome(servers));
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => servers.close());
  }
} catch (error) {
  process.exitCode = 1;
  const { code, port } = /** @type {NodeJS.ErrnoException & { port?: number }} */ (error);
  if (error instanceof UsageError) console.error(error.message);
  else if (code === "EADDRINUSE") {
    console.error(
      `Port ${port} is in use. Stop the program that uses it, or choose other ports, for example:\n\n` +
        "  npx matrix-auth-elements --port 9008",
    );
  } else if (code === "EACCES") {
    console.error(`The system doesn't allow port ${port}. Choose a port above 1023 with --port.`);
  } else throw error;
}
