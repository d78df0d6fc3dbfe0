import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";

type Provider = Awaited<ReturnType<typeof startAuthorizationServer>>;
type Options = Parameters<typeof startAuthorizationServer>[0];
type Members = Readonly<Record<string, unknown>>;

const CLIENT = {
  client_uri: "https://app.example/",
  redirect_uris: ["https://app.example/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};
const NATIVE = { ...CLIENT, application_type: "native" };
const HOME_ON_LOOPBACK = { ...NATIVE, client_uri: "http://localhost:8080/" };

const redirectingTo = (client: object, ...redirect_uris: string[]): Members => ({
  ...client,
  redirect_uris,
});

async function register(provider: Provider, client: Members): Promise<string> {
  const { status, body } = await send(provider, "registration_endpoint", JSON.stringify(client), {
    "content-type": "application/json",
  });
  return status === 201 ? "registered" : `${status} ${String(body["error"])}`;
}

/** Whether a registered client is let in that comes back to another port than it registered. */
async function comesBack(
  provider: Provider,
  registered: string,
  requested: string,
): Promise<boolean> {
  const client = JSON.stringify(redirectingTo(NATIVE, registered));
  const headers = { "content-type": "application/json" };
  const { body } = await send(provider, "registration_endpoint", client, headers);
  const url = new URL(String((await provider.metadata())["authorization_endpoint"]));
  url.search = new URLSearchParams({
    client_id: String(body["client_id"]),
    redirect_uri: requested,
    response_type: "code",
    scope: "urn:matrix:client:api:* urn:matrix:client:device:ABCDEFGHIJ",
    state: "state",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  }).toString();
  const { status } = await fetch(url, { redirect: "manual" });
  assert.ok(status === 303 || status === 400, `${status}`);
  return status === 303;
}

async function send(
  provider: Provider,
  endpoint: string,
  body: string | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Members }> {
  const url = String((await provider.metadata())[endpoint]);
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as Members };
}

/** Starts a provider for the tests of a suite. */
function useProvider(options: Partial<Options> = {}): () => Provider {
  let provider: Provider;
  before(async () => {
    provider = await startAuthorizationServer({ accounts: createAccounts(), ...options });
  });
  after(() => provider.close());
  return () => provider;
}

const METADATA = "400 invalid_client_metadata";
const REDIRECT = "400 invalid_redirect_uri";

/** What both Matrix Authentication Service and tuwunel respond, where nothing else is said. */
const REGISTRATIONS: readonly (readonly [title: string, client: Members, expected: string])[] = [
  ["a web application on https", CLIENT, "registered"],
  [
    "a redirect URI on a subdomain",
    redirectingTo(CLIENT, "https://www.app.example/"),
    "registered",
  ],
  ["a redirect URI on another host", redirectingTo(CLIENT, "https://other.example/"), REDIRECT],
  [
    "a redirect URI on a host that only ends alike",
    redirectingTo(CLIENT, "https://myapp.example/"),
    REDIRECT,
  ],
  ["a redirect URI with a fragment", redirectingTo(CLIENT, "https://app.example/#a"), REDIRECT],
  ["a redirect URI with a password", redirectingTo(CLIENT, "https://a:b@app.example/"), REDIRECT],
  [
    "a redirect URI with a port on https (not at tuwunel)",
    redirectingTo(CLIENT, "https://app.example:8443/"),
    REDIRECT,
  ],
  ["a web application on http", redirectingTo(CLIENT, "http://localhost/"), REDIRECT],
  [
    "a native application on localhost",
    redirectingTo(NATIVE, "http://localhost/callback"),
    "registered",
  ],
  ["a native application on 127.0.0.1", redirectingTo(NATIVE, "http://127.0.0.1/"), "registered"],
  ["a native application on [::1]", redirectingTo(NATIVE, "http://[::1]/"), "registered"],
  [
    "a native application on another loopback host",
    redirectingTo(NATIVE, "http://app.localhost/"),
    REDIRECT,
  ],
  ["a native application that claims https", NATIVE, "registered"],
  [
    "a native application on https on a loopback host",
    redirectingTo(NATIVE, "https://localhost/"),
    REDIRECT,
  ],
  [
    "the scheme of the home page in reverse",
    redirectingTo(NATIVE, "example.app.tv:/callback"),
    "registered",
  ],
  [
    "the scheme of the home page in reverse, of a web application",
    redirectingTo(CLIENT, "example.app:/callback"),
    REDIRECT,
  ],
  ["the scheme of another domain", redirectingTo(NATIVE, "com.example:/callback"), REDIRECT],
  ["a scheme with an authority", redirectingTo(NATIVE, "example.app://callback"), REDIRECT],
  ["no redirect URI", redirectingTo(CLIENT), REDIRECT],
  ["no home page", { ...CLIENT, client_uri: undefined }, METADATA],
  ["a home page on http", { ...CLIENT, client_uri: "http://app.example/" }, METADATA],
  [
    "a home page on https on a loopback host",
    { ...CLIENT, client_uri: "https://localhost/" },
    METADATA,
  ],
  ["a logo on another host", { ...CLIENT, logo_uri: "https://cdn.example/logo.png" }, METADATA],
  ["terms over http", { ...CLIENT, tos_uri: "http://app.example/terms" }, METADATA],
  [
    "a home page on http on a loopback host (the demo's exception)",
    redirectingTo(HOME_ON_LOOPBACK, "http://localhost/callback"),
    "registered",
  ],
  [
    "a policy on the same loopback host (the demo's exception)",
    {
      ...redirectingTo(HOME_ON_LOOPBACK, "http://localhost/"),
      policy_uri: "http://localhost:8080/privacy",
    },
    "registered",
  ],
];

describe("The demo's provider", () => {
  for (const loopbackPorts of ["any", "none"] as const) {
    describe(`with loopback ports: ${loopbackPorts}`, () => {
      const provider = useProvider({ loopbackPorts });

      for (const [title, client, expected] of REGISTRATIONS) {
        it(`responds "${expected}" to ${title}, with loopback ports: ${loopbackPorts}`, async () => {
          assert.equal(await register(provider(), client), expected);
        });
      }

      for (const [registered, requested, atAny, atNone] of [
        ["http://127.0.0.1/callback", "http://127.0.0.1:8080/callback", true, true],
        ["http://[::1]/callback", "http://[::1]:8080/callback", true, true],
        ["http://localhost/callback", "http://localhost:8080/callback", true, false],
        ["http://localhost/callback", "http://127.0.0.1:8080/callback", false, false],
        ["http://127.0.0.1/callback", "http://127.0.0.1:8080/other", false, false],
      ] as const) {
        const isLetIn = loopbackPorts === "any" ? atAny : atNone;
        const verb = isLetIn ? "lets in" : "refuses";
        it(`${verb} ${requested} for ${registered}, with loopback ports: ${loopbackPorts}`, async () => {
          assert.equal(await comesBack(provider(), registered, requested), isLetIn);
        });
      }
    });
  }

  describe("with any loopback port", () => {
    const provider = useProvider();

    it("registers a redirect URI with a port on a loopback host beside the same without", async () => {
      const uris = ["http://localhost/callback", "http://localhost:8080/callback"];
      assert.equal(await register(provider(), redirectingTo(NATIVE, ...uris)), "registered");
    });
  });

  describe("without loopback ports", () => {
    const provider = useProvider({ loopbackPorts: "none" });

    it("refuses a redirect URI with a port on a loopback host where none may be registered", async () => {
      const client = redirectingTo(NATIVE, "http://127.0.0.1:8080/callback");
      assert.equal(await register(provider(), client), REDIRECT);
    });
  });
});
