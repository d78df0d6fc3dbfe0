import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import process from "node:process";
import { OidcFlowError, secureRandomString } from "../core/index.js";
import { settingsInvalid } from "../core/oauth/errors.js";

export interface LoopbackServer {
  readonly redirectUri: string;
  /** The parameters of the first response with this `state`. Other requests are rejected. */
  responseTo(state: string): Promise<URLSearchParams>;
  /**
   * A URL of this server that redirects once to another URL. Programs of other users can read the
   * arguments of the command that opens a URL, so these must not contain the URL of the sign-in.
   *
   * @param onReuse Called if the URL is opened again, because another user's program may have been
   *   first.
   */
  redirectOnce(url: string, onReuse: () => void): string;
  close(): void;
}

/** Not `localhost`, which might be another address: RFC 8252, section 8.3. */
const HOST = "127.0.0.1";

const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  // The code is in the URL.
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  Connection: "close",
};

const UNEXPECTED = "<!doctype html><title>Not expected</title><p>No sign-in is in progress.</p>";

/**
 * @param port 0 for any free port.
 * @param page The HTML document that the user's browser shows after the response.
 * @throws {OidcFlowError} `Misconfigured`: `settings_invalid`; `port_unavailable`.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export async function startLoopbackServer(
  port: number,
  path: string,
  page: string,
): Promise<LoopbackServer> {
  if (parsePath(path)?.pathname !== path) throw settingsInvalid(`${path} is not a path`);
  let awaited: { state: string; resolve: (parameters: URLSearchParams) => void } | undefined;
  let start: { path: string; url: string | undefined; onReuse: () => void } | undefined;

  const onRequest = ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const target = method === "GET" ? parsePath(url) : undefined;
    if (start && target?.pathname === start.path) {
      const { url: location, onReuse } = start;
      start.url = undefined;
      if (location === undefined) {
        response.writeHead(410, PAGE_HEADERS).end(UNEXPECTED);
        onReuse();
      } else response.writeHead(302, { ...PAGE_HEADERS, Location: location }).end("");
    } else if (target?.pathname !== path) {
      response.writeHead(404, PAGE_HEADERS).end(UNEXPECTED);
    } else if (!awaited || target.searchParams.get("state") !== awaited.state) {
      response.writeHead(400, PAGE_HEADERS).end(UNEXPECTED);
    } else {
      const { resolve } = awaited;
      // The first response counts, even if the browser has closed the connection.
      response.once("close", () => resolve(target.searchParams));
      response.writeHead(200, PAGE_HEADERS).end(page);
    }
  };

  const server = createServer(onRequest);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, HOST, resolve);
    });
  } catch (cause) {
    throw new OidcFlowError("OIDC is misconfigured", "port_unavailable", cause);
  }
  const origin = `http://${HOST}:${server.address().port}`;
  return {
    redirectUri: origin + path,
    redirectOnce(url, onReuse) {
      start = { path: `/start-${secureRandomString(24)}`, url, onReuse };
      return origin + start.path;
    },
    responseTo: (state) => new Promise((resolve) => (awaited = { state, resolve })),
    close() {
      server.close();
      // Browsers keep connections open.
      server.closeAllConnections();
    },
  };
}

/** Undefined if it is not a path, because any program on this machine can send any request. */
function parsePath(path: string): URL | undefined {
  const base = `http://${HOST}`;
  return path.startsWith("/") && URL.canParse(path, base) ? new URL(path, base) : undefined;
}

/** The command does not use a shell, because an `&` in the URL would end the command there. */
export function openerOf(system: string, url: string): [command: string, args: string[]] {
  if (system === "darwin") return ["open", [url]];
  if (system === "win32") return ["rundll32.exe", ["url.dll,FileProtocolHandler", url]];
  return ["xdg-open", [url]];
}

/**
 * Opens a URL in the browser. Resolves when the opening program ends, possibly only when the
 * browser is closed.
 */
export function openInBrowser(url: string): Promise<void> {
  const [command, args] = openerOf(process.platform, url);
  return new Promise((resolve, reject) => {
    // The child process is detached, so that the browser stays open when the program ends.
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ended with ${code ?? "a signal"}`));
    });
    child.unref();
  });
}
