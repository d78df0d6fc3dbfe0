import { createRemoteJWKSet, jwtVerify } from "jose";
import type { IncomingMessage } from "node:http";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import type { Provider } from "./provider.js";

export interface Homeserver {
  readonly baseUrl: string;
  readonly serverName: string;
  close(): Promise<void>;
}

export interface HomeserverOptions {
  readonly provider: Provider;
  /** Wins the homeserver's own token there. */
  readonly tokenOf: (issuer: string) => Promise<string>;
  /** Over what {@link completed} makes of the provider's document. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The least of a homeserver that delegates to a provider: who is where, and whose token it is. */
export async function startHomeserver(options: HomeserverOptions): Promise<Homeserver> {
  const { port, origin: baseUrl, serve, close } = await listenOnLoopback(0);
  const serverName = `localhost:${port}`;
  serve((request, response) => {
    respond(request, options, serverName).then(
      ([status, body]) => response.writeHead(status, HEADERS).end(JSON.stringify(body)),
      (error: unknown) => {
        console.error(error);
        response.destroy();
      },
    );
  });
  return { baseUrl, serverName, close };
}

/** https://spec.matrix.org/v1.16/client-server-api/#web-browser-clients */
const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization",
  "Content-Type": "application/json",
};

type Reply = readonly [status: number, body: object];

async function respond(
  { method, url = "/", headers }: IncomingMessage,
  options: HomeserverOptions,
  serverName: string,
): Promise<Reply> {
  if (method === "OPTIONS") return [200, {}];
  switch (new URL(url, "http://localhost").pathname) {
    case "/.well-known/matrix/client":
      return [200, { "m.homeserver": { base_url: `http://${serverName}` } }];
    case "/_matrix/client/versions":
      return [200, { versions: ["v1.15"] }];
    case "/_matrix/client/v1/auth_metadata":
      return [200, { ...(await completed(options.provider)), ...options.metadata }];
    case "/_matrix/client/v3/account/whoami":
      return whoami(headers.authorization?.replace(/^Bearer /, ""), options, serverName);
    default:
      return [404, { errcode: "M_UNRECOGNIZED", error: "Unrecognized request" }];
  }
}

async function documentOf(issuer: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  return (await response.json()) as Record<string, unknown>;
}

/** The provider's own document, and what it does but does not say. Each is a row of README.md. */
async function completed({ issuer, saysWho }: Provider): Promise<Record<string, unknown>> {
  const metadata = await documentOf(issuer);
  const grants = metadata["grant_types_supported"];
  return {
    ...metadata,
    grant_types_supported: [...(Array.isArray(grants) ? grants : []), "refresh_token"],
    authorization_response_iss_parameter_supported: saysWho,
    account_management_uri: new URL("/profile.html", issuer).href,
  };
}

/** The token is tried twice: by the provider's keys, and by the provider itself, who may have ended it. */
async function whoami(
  token: string | undefined,
  { provider: { issuer }, tokenOf }: HomeserverOptions,
  serverName: string,
): Promise<Reply> {
  if (!token) return [401, { errcode: "M_MISSING_TOKEN", error: "Missing access token" }];
  const unknown: Reply = [401, { errcode: "M_UNKNOWN_TOKEN", error: "Unknown access token" }];
  const metadata = await documentOf(issuer);
  const keys = createRemoteJWKSet(new URL(String(metadata["jwks_uri"])));
  const isSigned = await jwtVerify(token, keys, { issuer, typ: "at+jwt" }).catch(() => undefined);
  if (!isSigned) return unknown;
  const response = await fetch(String(metadata["introspection_endpoint"]), {
    method: "POST",
    headers: { Authorization: `Bearer ${await tokenOf(issuer)}` },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }),
  });
  const { active, username, scope } = (await response.json()) as Record<string, unknown>;
  if (active !== true) return unknown;
  const [, deviceId] = /urn:matrix:client:device:([^ ]+)/.exec(String(scope)) ?? [];
  return [
    200,
    { user_id: `@${String(username)}:${serverName}`, ...(deviceId && { device_id: deviceId }) },
  ];
}
