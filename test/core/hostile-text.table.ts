// The functions that read a URL from outside.
import {
  HomeserverClient,
  accountManagementUrl,
  discoverAndValidateOIDCIssuerWellKnown,
  discoverHomeserver,
  fetchAuthMetadata,
  registerOidcClient,
  revokeTokens,
  startDeviceAuthorization,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { json, type Responder } from "../support/scripted-fetch.ts";
import { ISSUER } from "../support/scripted-provider.ts";
import { REDIRECT_URI } from "./login.ts";

const HOMESERVER = "https://hs.example";
export const WELL_KNOWN = "GET https://hs.example/.well-known/matrix/client";
const UNSTABLE = `GET ${HOMESERVER}/_matrix/client/unstable/org.matrix.msc2965`;
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}authorize`,
  token_endpoint: `${ISSUER}token`,
  revocation_endpoint: `${ISSUER}revoke`,
  registration_endpoint: `${ISSUER}register`,
  device_authorization_endpoint: `${ISSUER}device`,
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
};
const metadata = validateAuthMetadata(METADATA);
const CODES = { device_code: "d", user_code: "u", verification_uri: ISSUER, expires_in: 60 };

/** Each function, and its outcome. `servers` makes a server send the URL. */
export const READERS: readonly (readonly [
  what: string,
  outcome: string,
  read: (url: string, servers: (routes: Record<string, Responder>) => object) => unknown,
])[] = [
  ["a user's input", "homeserver_invalid", (url) => discoverHomeserver(url)],
  [
    "the homeserver in a well-known file",
    "well_known_invalid",
    (base_url, servers) => discoverHomeserver("hs.example", servers({ [WELL_KNOWN]: json({ "m.homeserver": { base_url } }) })),
  ],
  [
    "the issuer in a well-known file",
    JSON.stringify({ baseUrl: HOMESERVER }),
    (issuer, servers) =>
      discoverHomeserver("hs.example", servers({ [WELL_KNOWN]: json({ "m.homeserver": { base_url: HOMESERVER }, "m.authentication": { issuer } }) })),
  ],
  ["a homeserver's base URL", "homeserver_invalid", (url) => fetchAuthMetadata(url)],
  ["a client's base URL", "TypeError", (baseUrl) => new HomeserverClient({ baseUrl }).getDevices()],
  [
    "the issuer that a homeserver names",
    "issuer_invalid",
    (issuer, servers) =>
      fetchAuthMetadata(
        HOMESERVER,
        servers({
          [`GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`]: json({}, 404),
          [`${UNSTABLE}/auth_metadata`]: json({}, 404),
          [`${UNSTABLE}/auth_issuer`]: json({ issuer }),
          [WELL_KNOWN]: json({}, 404),
        }),
      ),
  ],
  ["an issuer", "issuer_invalid", (url) => discoverAndValidateOIDCIssuerWellKnown(url)],
  ...["issuer", "authorization_endpoint", "token_endpoint", "revocation_endpoint", "registration_endpoint", "device_authorization_endpoint", "jwks_uri"].map(
    (member) => [`the ${member} of metadata`, "metadata_invalid", (url: string) => validateAuthMetadata({ ...METADATA, [member]: url })] as const,
  ),
  [
    "an endpoint of unvalidated metadata",
    "metadata_invalid",
    (revocation_endpoint) => revokeTokens({ ...metadata, revocation_endpoint }, "client", { access_token: "a" }),
  ],
  [
    "the page for a device's code",
    "response_malformed",
    (verification_uri, servers) =>
      startDeviceAuthorization({ metadata, clientId: "client" }, servers({ [`POST ${ISSUER}device`]: json({ ...CODES, verification_uri }) })),
  ],
  ["the page for the account", "undefined", (account_management_uri) => accountManagementUrl({ account_management_uri })],
  ["the URL for a phone's code", "TypeError", (url) => new HomeserverClient({ baseUrl: HOMESERVER }).submitMsisdnTokenOtherUrl(url, "s", "c", "t")],
  ["an app's home page", "settings_invalid", (clientUri) => registerOidcClient(metadata, { clientUri, redirectUris: [REDIRECT_URI] })],
];
