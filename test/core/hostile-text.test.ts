// The longest text that a server can send, with the worst content for each parser. If a parser takes
// quadratic time, its test reaches the runner's time limit.
import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcFlowError,
  RequestError,
  accountManagementUrl,
  completeAuthorizationCodeGrantFromUrl,
  discoverAndValidateOIDCIssuerWellKnown,
  discoverHomeserver,
  fetchAuthMetadata,
  registerOidcClient,
  revokeTokens,
  startDeviceAuthorization,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../support/rejection.ts";
import { ScriptedFetch, json, text, type Responder } from "../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../support/scripted-provider.ts";
import { REDIRECT_URI, logIn } from "./login.ts";

/** The library's limit for a response, minus the text around it. */
const LENGTH = 2 ** 20 - 2 ** 10;
const repeated = (part: string): string => part.repeat(Math.floor(LENGTH / part.length));
const slashes = (origin: string): string => `${origin}${repeated("/")}x`;

const HOSTILE_URLS = {
  slashes: slashes("https://hs.example"),
  // Three bytes each in a response.
  "combining marks in the host": `https://a${"\u0300\u0316".repeat(LENGTH / 6)}`,
  "labels in the host": `https://${repeated("a.")}example`,
  // Two bytes each in a response.
  backslashes: `https://hs.example${"\\".repeat(LENGTH / 2)}x`,
};

const HOMESERVER = "https://hs.example";
const WELL_KNOWN = "GET https://hs.example/.well-known/matrix/client";
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

/** The functions that read a URL from outside, and their outcomes. `servers` makes a server send the URL. */
const READERS: readonly (readonly [
  what: string,
  outcome: string,
  read: (url: string, servers: (routes: Record<string, Responder>) => object) => unknown,
])[] = [
  ["a user's input", "homeserver_invalid", (url) => discoverHomeserver(url)],
  [
    "the homeserver in a well-known file",
    "well_known_invalid",
    (base_url, servers) =>
      discoverHomeserver(
        "hs.example",
        servers({ [WELL_KNOWN]: json({ "m.homeserver": { base_url } }) }),
      ),
  ],
  [
    "the issuer in a well-known file",
    JSON.stringify({ baseUrl: HOMESERVER }),
    (issuer, servers) =>
      discoverHomeserver(
        "hs.example",
        servers({
          [WELL_KNOWN]: json({
            "m.homeserver": { base_url: HOMESERVER },
            "m.authentication": { issuer },
          }),
        }),
      ),
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
  ...[
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "revocation_endpoint",
    "registration_endpoint",
    "device_authorization_endpoint",
    "jwks_uri",
  ].map(
    (member) =>
      [
        `the ${member} of metadata`,
        "metadata_invalid",
        (url: string) => validateAuthMetadata({ ...METADATA, [member]: url }),
      ] as const,
  ),
  [
    "an endpoint of unvalidated metadata",
    "metadata_invalid",
    (revocation_endpoint) =>
      revokeTokens({ ...metadata, revocation_endpoint }, "client", { access_token: "a" }),
  ],
  [
    "the page for a device's code",
    "response_malformed",
    (verification_uri, servers) =>
      startDeviceAuthorization(
        { metadata, clientId: "client" },
        servers({ [`POST ${ISSUER}device`]: json({ ...CODES, verification_uri }) }),
      ),
  ],
  [
    "the page for the account",
    "undefined",
    (account_management_uri) => accountManagementUrl({ account_management_uri }),
  ],
  [
    "the URL for a phone's code",
    "TypeError",
    (url) =>
      new HomeserverClient({ baseUrl: HOMESERVER }).submitMsisdnTokenOtherUrl(url, "s", "c", "t"),
  ],
  [
    "an app's home page",
    "settings_invalid",
    (clientUri) => registerOidcClient(metadata, { clientUri, redirectUris: [REDIRECT_URI] }),
  ],
];

describe("A URL of 1 MiB", () => {
  for (const [kind, url] of Object.entries(HOSTILE_URLS)) {
    for (const [what, outcome, read] of READERS) {
      it(`of ${kind} ends with ${outcome} as ${what}`, async () => {
        const servers = (routes: Record<string, Responder>): object => ({
          fetch: new ScriptedFetch(routes).fetch,
          timeoutMs: 60_000,
        });

        expect(await outcomeOf(() => read(url, servers))).to.equal(outcome);
      });
    }
  }
});

describe("A callback's URL of 1 MiB", () => {
  beforeEach(() => sessionStorage.clear());

  for (const part of ["&", "&a=b", "?", "%", "&state", "&code=x"]) {
    it(`of "${part}" contains no response, and the sign-in stays pending`, async () => {
      const provider = await ScriptedProvider.create();
      const { url } = await logIn(provider);
      const complete = (response: string) =>
        outcomeOf(() => completeAuthorizationCodeGrantFromUrl(response, provider.server));

      expect(await complete(url + repeated(part))).to.equal("flow_unknown");
      expect(await complete(url)).to.contain(provider.accessToken);
    });
  }
});

describe("A response of 1 MiB", () => {
  for (const [kind, body] of [
    ["brackets", repeated("[")],
    ["nested objects", repeated('{"a":')],
    ["spaces", repeated(" ")],
    ["one text", JSON.stringify(repeated("x"))],
    ["a list", `[${repeated("0,")}0]`],
  ] as const) {
    it(`of ${kind} is not a well-known file`, async () => {
      const { fetch } = new ScriptedFetch({ [WELL_KNOWN]: text(body) });

      const outcome = await outcomeOf(() => discoverHomeserver("hs.example", { fetch }));
      expect(outcome).to.equal("well_known_invalid");
    });
  }

  for (const [member, value, outcome] of [
    ["scope", repeated(" "), "scope_not_granted"],
    ["scope", repeated("urn:matrix:client:device:A "), "scope_not_granted"],
    ["expires_in", repeated("9"), "token_response_invalid"],
    ["token_type", repeated("bearer"), "token_response_invalid"],
    ["id_token", repeated("."), "id_token_invalid"],
    ["id_token", `${repeated("a")}.a`, "id_token_invalid"],
    ["id_token", `${"a".repeat(LENGTH / 2)}.${"a".repeat(LENGTH / 2)}.`, "id_token_invalid"],
  ] as const) {
    it(`with "${value.slice(0, 30)}" as ${member} ends with ${outcome}`, async () => {
      sessionStorage.clear();
      const provider = await ScriptedProvider.create();
      const { url } = await logIn(provider);
      provider.tokens = { [member]: value };

      const outcomeOfLogin = await outcomeOf(() =>
        completeAuthorizationCodeGrantFromUrl(url, provider.server),
      );
      expect(outcomeOfLogin).to.equal(outcome);
    });
  }
});

/** The code or name of an error, or the JSON of a result. */
async function outcomeOf(run: () => unknown): Promise<string> {
  let result: unknown;
  const error = await rejectionOf(async () => {
    result = await run();
    throw new Error("no error");
  });
  if (error instanceof OidcFlowError || error instanceof RequestError) return error.code;
  return (error as Error).message === "no error"
    ? String(JSON.stringify(result))
    : String((error as Error).name);
}
