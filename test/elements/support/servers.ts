import { generateOidcAuthorizationUrl, validateAuthMetadata } from "matrix-auth-elements/core";
import { ScriptedFetch, json } from "../../support/scripted-fetch.js";
import { stub } from "../../support/stub.js";

export const HOMESERVER = "https://hs.example";
export const ISSUER = "https://idp.example/";

export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}authorize`,
  token_endpoint: `${ISSUER}token`,
  revocation_endpoint: `${ISSUER}revoke`,
  registration_endpoint: `${ISSUER}register`,
  response_types_supported: ["code"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  prompt_values_supported: ["create"],
};

export const WELL_KNOWN = `GET ${HOMESERVER}/.well-known/matrix/client`;
export const AUTH_METADATA = `GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`;
export const REGISTRATION = `POST ${METADATA.registration_endpoint}`;
export const TOKEN = `POST ${METADATA.token_endpoint}`;
export const REVOCATION = `POST ${METADATA.revocation_endpoint}`;

const DEVICE_ID = "DEVICE0001";
export const TOKENS = {
  access_token: "secret-access",
  refresh_token: "secret-refresh",
  token_type: "Bearer",
  expires_in: 300,
  scope: `urn:matrix:client:api:* urn:matrix:client:device:${DEVICE_ID}`,
};

/** A homeserver and its provider in place of the network, until `restoreStubs()`. */
export function scriptServers(): ScriptedFetch {
  const { fetch } = window;
  const servers = new ScriptedFetch({
    [WELL_KNOWN]: json({
      "m.homeserver": { base_url: HOMESERVER },
      "m.identity_server": { base_url: "https://is.example" },
    }),
    [AUTH_METADATA]: json(METADATA),
    [REGISTRATION]: json({ client_id: "registered" }, 201),
    [TOKEN]: json(TOKENS),
  });
  stub(window, "fetch", {
    writable: true,
    value: (input: RequestInfo | URL, init?: RequestInit) => {
      // The test runner speaks to its own server.
      const { url } = new Request(input);
      return (url.startsWith(location.origin) ? fetch : servers.fetch)(input, init);
    },
  });
  return servers;
}

interface LoginOptions {
  readonly homeserverUrl?: string;
  readonly appState?: Readonly<Record<string, string>>;
}

/** Starts a login. @returns The URL that the provider sends the browser back to. */
export async function responseUrl(
  parameters: Readonly<Record<string, string>> = { code: "the-code" },
  options: LoginOptions = {},
): Promise<string> {
  const [redirectUri = ""] = location.href.split("#", 1);
  const url = await generateOidcAuthorizationUrl({
    metadata: validateAuthMetadata(METADATA),
    clientId: "registered",
    homeserverUrl: HOMESERVER,
    redirectUri,
    nonce: "nonce",
    responseMode: "fragment",
    deviceId: DEVICE_ID,
    ...options,
  });
  const state = new URL(url).searchParams.get("state") ?? "";
  return `${redirectUri}#${new URLSearchParams({ ...parameters, state }).toString()}`;
}
