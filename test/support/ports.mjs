import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to other sockets: one of those could take it before the server starts. */
const FIRST = 20_000;
const LAST = 32_000;

/** @param {number} port */
async function use(port) {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

/**
 * Finds a free port for a server that cannot choose one itself.
 *
 * @param {number} [count] How many ports in a row must be free.
 * @returns {Promise<number>} The first of them.
 */
export async function freePort(count = 1) {
  for (;;) {
    const first = randomInt(FIRST, LAST);
    const ports = Array.from({ length: count }, (_, nth) => first + nth);
    const results = await Promise.allSettled(ports.map(use));
    if (results.every(({ status }) => status === "fulfilled")) return first;
  }
}
