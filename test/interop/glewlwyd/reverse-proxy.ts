import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import { forward } from "../servers/forward.js";

/** A reverse proxy in front of Glewlwyd, like nginx. Users and clients use only its URL. */
export interface ReverseProxy {
  readonly origin: string;
  /** Sets the server behind the proxy, which needs the proxy's URL first, and the changes. */
  passTo(origin: string, help: () => Help): void;
  /** The requests since the last call, as method and path, without preflights and pages. */
  takeRequests(): readonly string[];
  close(): Promise<void>;
}

/** The proxy's changes to requests and responses. README.md lists each one. */
export interface Help {
  /** Creates a device's scope before the user reaches the provider. */
  readonly beforeScope: ((scope: string) => Promise<void>) | undefined;
  /** The token to add to a public client's revocation. */
  readonly tokenToRevoke: ((issuer: string) => Promise<string>) | undefined;
}

const DEVICE_SCOPE = /urn:matrix:client:device:[^ ]+/;

export async function startReverseProxy(): Promise<ReverseProxy> {
  const loopback = await listenOnLoopback(0);
  const requests: string[] = [];
  return {
    origin: loopback.origin,
    passTo(origin, help) {
      loopback.serve((request, response) => {
        const { method = "GET", url = "/" } = request;
        const [path = ""] = url.split("?", 1);
        if (method !== "OPTIONS" && path.startsWith("/api/")) requests.push(`${method} ${path}`);
        pass(request, response, origin, help()).catch((error: unknown) => {
          console.error(error);
          response.destroy();
        });
      });
    },
    takeRequests: () => requests.splice(0),
    close: loopback.close,
  };
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  { beforeScope, tokenToRevoke }: Help,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const { pathname, searchParams } = new URL(url, origin);
  const body = method === "POST" ? await text(request) : "";
  const form = new URLSearchParams(body);
  const [, issuer = "", operation = ""] = /^(\/api\/[^/]+)\/(\w+)$/.exec(pathname) ?? [];

  if (beforeScope && ["auth", "device_authorization"].includes(operation)) {
    const asked = searchParams.get("scope") ?? form.get("scope") ?? "";
    const [scope] = DEVICE_SCOPE.exec(asked) ?? [];
    if (scope) await beforeScope(scope);
  }
  const isHelped =
    operation === "revoke" && method === "POST" && !headers.authorization && tokenToRevoke;
  forward(request, response, origin, {
    ...(method === "POST" && { body }),
    ...(isHelped && {
      headers: { authorization: `Bearer ${await tokenToRevoke(`${origin}${issuer}`)}` },
    }),
  });
}
