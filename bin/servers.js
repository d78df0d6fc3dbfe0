// @ts-check
// The servers of matrix-auth-elements/testing over HTTP, on this machine only.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { createTestServers } from "../dist/testing/index.js";

/** @import { IncomingMessage, Server, ServerResponse } from "node:http" */
/** @import { TestMessage, TestServers } from "../dist/testing/index.js" */

/** Passwords by localpart. They guard nothing. */
export const ACCOUNTS = {
  alice: "alice-demo-password",
  bob: "bob-demo-password",
};

const ROOMS = ["Lighthouse", "Harbor"];

const MAX_BODY_BYTES = 10_000_000;

/**
 * @typedef {object} Servers
 * @property {string} page the URL of the page
 * @property {string} provider the homeserver with a provider
 * @property {string} passwords the homeserver with passwords
 * @property {() => void} close
 */

/**
 * @param {number} port the first of three
 * @param {(text: string) => void} report receives each email and text message
 * @returns {Promise<Servers>} Rejects if a port isn't free.
 */
export async function startServers(port, report) {
  /** @type {Server[]} */
  const started = [];
  const close = () => {
    for (const server of started) {
      server.close();
      server.closeAllConnections();
    }
  };
  const [provider, passwords, page] = [port, port + 1, port + 2];
  try {
    for (const [free, login] of /** @type {const} */ ([
      [provider, ["oauth"]],
      [passwords, ["password"]],
    ])) {
      const servers = await createTestServers({
        homeserver: `http://localhost:${free}`,
        login,
        accounts: ACCOUNTS,
        rooms: ROOMS,
        uia: { registrationFlows: [["m.login.terms", "m.login.dummy"]] },
        // Browsers keep the tokens of stopped servers, which the next ones must not accept.
        tokenPrefix: `${randomBytes(12).toString("hex")}_`,
      });
      started.push(await listen(free, respondWith(servers, report)));
    }
    started.push(await listen(page, respondWithPage(provider, passwords)));
  } catch (error) {
    close();
    throw error;
  }
  return {
    page: `http://127.0.0.1:${page}`,
    provider: `localhost:${provider}`,
    passwords: `localhost:${passwords}`,
    close,
  };
}

/**
 * @param {number} port
 * @param {(request: IncomingMessage, response: ServerResponse) => Promise<void>} respond
 * @returns {Promise<Server>}
 */
function listen(port, respond) {
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/**
 * @param {TestServers} servers
 * @param {(text: string) => void} report
 */
function respondWith(servers, report) {
  let reported = 0;
  return async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    const { method = "GET", url = "/" } = request;
    const aborted = new AbortController();
    response.once("close", () => aborted.abort());
    const body = method === "GET" || method === "HEAD" ? undefined : await bodyOf(request);
    if (body === null) return void response.writeHead(413).end();
    // The origin is that of the homeserver, even for requests to 127.0.0.1.
    const sent = new Request(new URL(url.replace(/^\/+/, "/"), servers.homeserver), {
      method,
      headers: headersOf(request),
      signal: aborted.signal,
      ...(body && { body }),
    });
    const result = await servers.respond(sent);
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(new Uint8Array(await result.arrayBuffer()));
    servers.messages.slice(reported).forEach((message) => report(textOf(message)));
    reported = servers.messages.length;
    // Otherwise it would remember all requests.
    /** @type {unknown[]} */ (servers.requests).length = 0;
  };
}

/** @param {TestMessage} message */
const textOf = ({ address, link, code }) => `To ${address}: ${link ?? `your code is ${code}`}`;

/**
 * @param {IncomingMessage} request
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>} null if it is too large
 */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** @param {IncomingMessage} request */
function headersOf({ headers }) {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(connection|transfer-encoding)$/.test(name)) copied.set(name, String(value));
  }
  return copied;
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/**
 * The page, and the files for script tags that it loads.
 *
 * @param {number} provider
 * @param {number} passwords
 */
function respondWithPage(provider, passwords) {
  const homeservers = [provider, passwords].map((port) => `localhost:${port}`);
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:",
    `connect-src ${homeservers.flatMap((name) => [`http://${name}`, `https://${name}`]).join(" ")}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "require-trusted-types-for 'script'; trusted-types lit-html",
  ].join("; ");
  return async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, own] = /^\/(page\.(?:js|css))?$/.exec(pathname) ?? [];
    const [, ofLibrary] = /^\/cdn\/((?:[\w-]+\/)?[\w.-]+\.js)$/.exec(pathname) ?? [];
    const isPage = pathname === "/";
    const path = ofLibrary ? `../dist/cdn/${ofLibrary}` : isPage ? "page.html" : own;
    const file = path && (await readFile(new URL(path, import.meta.url)).catch(() => undefined));
    if (!path || !file) return void response.writeHead(404).end();
    const text = isPage ? file.toString().replace("{homeservers}", homeservers.join(" ")) : file;
    response.writeHead(200, {
      "Content-Type": `${TYPES[/** @type {keyof typeof TYPES} */ (extname(path))]}; charset=utf-8`,
      "Content-Security-Policy": policy,
      "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    });
    response.end(text);
  };
}
