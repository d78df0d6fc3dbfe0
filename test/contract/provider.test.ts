import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";

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

const API = "urn:matrix:client:api:*";
const scopeOf = (deviceId: string): string => `${API} urn:matrix:client:device:${deviceId}`;
const SCOPE = scopeOf("ABCDEFGHIJ");
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const REDIRECT_URI = "https://app.example/callback";
/** RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async function authorizationUrl(
  provider: Provider,
  clientId: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const url = new URL(String((await provider.metadata())["authorization_endpoint"]));
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    response_mode: "fragment",
    scope: SCOPE,
    state: "state",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...parameters,
  }).toString();
  return url;
}

async function clientIdOf(provider: Provider, client: Members = CLIENT): Promise<string> {
  const headers = { "content-type": "application/json" };
  const { body } = await send(provider, "registration_endpoint", JSON.stringify(client), headers);
  return String(body["client_id"]);
}

/** Visits pages as a browser does: with cookies, and with redirects until one leads to the app. */
function openBrowser() {
  const cookies = new Map<string, string>();
  return async function visit(
    at: URL,
    init: RequestInit = {},
    hops = 0,
  ): Promise<{ url: URL; page?: string }> {
    assert.ok(hops < 10, `without an end: ${at.href}`);
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { ...init, redirect: "manual", headers: { Cookie } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("Location");
    if (location === null) return { url: at, page: await response.text() };
    const next = new URL(location, at);
    return next.origin === at.origin ? visit(next, {}, hops + 1) : { url: next };
  };
}

/** Signs alice in with a provider that does not ask the user. */
async function signIn(
  provider: Provider,
  deviceId = "ABCDEFGHIJ",
): Promise<{ clientId: string; tokens: Members }> {
  const clientId = await clientIdOf(provider);
  const scope = scopeOf(deviceId);
  const { url } = await openBrowser()(await authorizationUrl(provider, clientId, { scope }));
  const { body } = await askTokens(provider, {
    grant_type: "authorization_code",
    client_id: clientId,
    code: new URLSearchParams(url.hash.slice(1)).get("code") ?? "",
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
  });
  assert.ok(body["access_token"], JSON.stringify(body));
  return { clientId, tokens: body };
}

const refresh = (
  provider: Provider,
  { clientId, tokens }: { clientId: string; tokens: Members },
): ReturnType<typeof send> =>
  askTokens(provider, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: String(tokens["refresh_token"]),
  });

const askTokens = (provider: Provider, form: Record<string, string>): ReturnType<typeof send> =>
  send(provider, "token_endpoint", new URLSearchParams(form));

/** Whether the provider accepts a redirect URI with another port than the registered one. */
async function comesBack(
  provider: Provider,
  registered: string,
  requested: string,
): Promise<boolean> {
  const clientId = await clientIdOf(provider, redirectingTo(NATIVE, registered));
  const url = await authorizationUrl(provider, clientId, { redirect_uri: requested });
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

type Homeserver = Awaited<ReturnType<typeof startHomeserver>>;

async function askHomeserver(
  { baseUrl }: Homeserver,
  path: string,
  token: unknown,
): Promise<{ status: number; body: Members }> {
  const headers = { Authorization: `Bearer ${String(token)}` };
  const response = await fetch(`${baseUrl}/_matrix/client/v3/${path}`, { headers });
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

/** The responses of both Matrix Authentication Service and tuwunel, unless stated otherwise. */
const REGISTRATIONS: readonly (readonly [title: string, client: Members, expected: string])[] = [
  ["a web app on https", CLIENT, "registered"],
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
  ["a web app on http", redirectingTo(CLIENT, "http://localhost/"), REDIRECT],
  ["a native app on localhost", redirectingTo(NATIVE, "http://localhost/callback"), "registered"],
  ["a native app on 127.0.0.1", redirectingTo(NATIVE, "http://127.0.0.1/"), "registered"],
  ["a native app on [::1]", redirectingTo(NATIVE, "http://[::1]/"), "registered"],
  [
    "a native app on another loopback host",
    redirectingTo(NATIVE, "http://app.localhost/"),
    REDIRECT,
  ],
  ["a native app that claims https", NATIVE, "registered"],
  [
    "a native app on https on a loopback host",
    redirectingTo(NATIVE, "https://localhost/"),
    REDIRECT,
  ],
  [
    "the scheme of the home page in reverse",
    redirectingTo(NATIVE, "example.app.tv:/callback"),
    "registered",
  ],
  [
    "a web app's home page in reverse as a scheme",
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

    it("registers a loopback redirect URI with a port together with the same URI without it", async () => {
      const uris = ["http://localhost/callback", "http://localhost:8080/callback"];
      assert.equal(await register(provider(), redirectingTo(NATIVE, ...uris)), "registered");
    });
  });

  describe("without loopback ports", () => {
    const provider = useProvider({ loopbackPorts: "none" });

    it("rejects a redirect URI with a port on a loopback host if ports can't be registered", async () => {
      const client = redirectingTo(NATIVE, "http://127.0.0.1:8080/callback");
      assert.equal(await register(provider(), client), REDIRECT);
    });
  });

  describe("like Matrix Authentication Service", () => {
    const provider = useProvider({ autoApprove: "alice" });

    it("returns the same client ID for the same metadata, and a new one for other metadata", async () => {
      const clientId = await clientIdOf(provider());
      const inAnotherOrder = Object.fromEntries(Object.entries(CLIENT).reverse());
      assert.equal(await clientIdOf(provider(), inAnotherOrder), clientId);
      assert.notEqual(await clientIdOf(provider(), { ...CLIENT, client_name: "App" }), clientId);
    });

    it("offers no deactivation of the account, and the old names of the devices' actions", async () => {
      const { account_management_actions_supported: actions } = await provider().metadata();
      assert.deepEqual(actions, [
        "org.matrix.profile",
        "org.matrix.devices_list",
        "org.matrix.device_view",
        "org.matrix.device_delete",
        "org.matrix.cross_signing_reset",
        "org.matrix.sessions_list",
        "org.matrix.session_view",
        "org.matrix.session_end",
      ]);
    });

    it("does not announce iss, and sends none with a code", async () => {
      assert.ok(
        !("authorization_response_iss_parameter_supported" in (await provider().metadata())),
      );
      for (const response_mode of ["query", "fragment"]) {
        const clientId = await clientIdOf(provider());
        const { url } = await openBrowser()(
          await authorizationUrl(provider(), clientId, { response_mode }),
        );
        const sent = new URLSearchParams(
          response_mode === "query" ? url.search : url.hash.slice(1),
        );
        assert.deepEqual([...sent.keys()], ["code", "state"]);
      }
    });

    it("responds to a request that it rejects with error and state, without iss", async () => {
      const url = await authorizationUrl(provider(), await clientIdOf(provider()), {
        scope: "urn:matrix:client:device:ABCDEFGHIJ",
      });
      const sent = new URLSearchParams((await openBrowser()(url)).url.hash.slice(1));
      assert.equal(sent.get("error"), "invalid_scope");
      assert.deepEqual([sent.get("state"), sent.get("iss")], ["state", null]);
    });

    it("refreshes the tokens of a locked account, which are useless until it is unlocked", async () => {
      const homeserver = await startHomeserver({ authorizationServer: provider() });
      const whoami = (token: unknown) => askHomeserver(homeserver, "account/whoami", token);
      try {
        const signedIn = await signIn(provider());
        assert.equal((await whoami(signedIn.tokens["access_token"])).status, 200);
        provider().accounts.setLocked("alice", true);
        const refreshed = await refresh(provider(), signedIn);
        assert.equal(refreshed.status, 200);
        const { access_token: token } = refreshed.body;
        const { status, body } = await whoami(token);
        assert.equal(`${status} ${String(body["errcode"])}`, "401 M_UNKNOWN_TOKEN");
        assert.equal(body["error"], "Token is not active");
        provider().accounts.setLocked("alice", false);
        assert.equal((await whoami(token)).status, 200);
      } finally {
        provider().accounts.setLocked("alice", false);
        await homeserver.close();
      }
    });

    for (const [expected, form] of [
      ["400 invalid_grant", { grant_type: "authorization_code", code: "unknown" }],
      ["400 invalid_grant", { grant_type: "refresh_token", refresh_token: "unknown" }],
      ["400 unsupported_grant_type", { grant_type: "password" }],
      ["400 invalid_request", { code: "no grant type" }],
      ["401 invalid_client", { grant_type: "refresh_token", client_id: "unknown" }],
    ] as const) {
      it(`responds ${expected} to a token request with ${JSON.stringify(form)}`, async () => {
        const client_id = await clientIdOf(provider());
        const given = { code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
        const { status, body } = await askTokens(provider(), { client_id, ...given, ...form });
        assert.equal(`${status} ${String(body["error"])}`, expected);
      });
    }

    it("responds 403 invalid_scope to a refresh for more than was granted", async () => {
      const { clientId, tokens } = await signIn(provider());
      const { status, body } = await askTokens(provider(), {
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: String(tokens["refresh_token"]),
        scope: `${API} urn:matrix:client:device:ANOTHERONE`,
      });
      assert.equal(`${status} ${String(body["error"])}`, "403 invalid_scope");
    });

    it("responds 403 authorization_pending before a device's code is confirmed", async () => {
      const grant_types = [...CLIENT.grant_types, DEVICE_CODE];
      const client_id = await clientIdOf(provider(), { ...CLIENT, grant_types });
      const started = await send(
        provider(),
        "device_authorization_endpoint",
        new URLSearchParams({ client_id, scope: SCOPE }),
      );
      const { status, body } = await askTokens(provider(), {
        grant_type: DEVICE_CODE,
        client_id,
        device_code: String(started.body["device_code"]),
      });
      assert.equal(`${status} ${String(body["error"])}`, "403 authorization_pending");
    });
  });

  describe("on its account page", () => {
    let provider: Provider;
    let homeserver: Homeserver;
    let visit: ReturnType<typeof openBrowser>;

    beforeEach(async () => {
      const accounts = createAccounts();
      const issuerPath = "/realms/demo";
      provider = await startAuthorizationServer({ accounts, issuerPath, autoApprove: "alice" });
      homeserver = await startHomeserver({ authorizationServer: provider });
      visit = openBrowser();
    });
    afterEach(() => Promise.all([homeserver.close(), provider.close()]));

    const addressOf = (action?: string, device_id?: string): URL => {
      const url = new URL(provider.accountManagementUri);
      if (action !== undefined) url.searchParams.set("action", action);
      if (device_id !== undefined) url.searchParams.set("device_id", device_id);
      return url;
    };
    const submit = async (url: URL, form: Record<string, string>): Promise<string> =>
      (await visit(url, { method: "POST", body: new URLSearchParams(form) })).page ?? "";
    const devicesOf = async (token: unknown): Promise<unknown> => {
      const { body } = await askHomeserver(homeserver, "devices", token);
      return (body["devices"] as { device_id: string }[]).map(({ device_id: id }) => id);
    };

    it("requires a sign-in first, then shows the page of the action", async () => {
      await signIn(provider);
      const url = addressOf("org.matrix.devices_list");
      const first = (await visit(url)).page ?? "";
      assert.match(first, /to manage your account/);
      assert.doesNotMatch(first, /ABCDEFGHIJ/);
      const wrong = await submit(url, { username: "alice", password: "wrong" });
      assert.match(wrong, /Wrong username or password/);
      const page = await submit(url, { username: "alice", password: "alice-demo-password" });
      assert.match(page, /Your devices[^]*ABCDEFGHIJ/);
    });

    it("shows the page of each action", async () => {
      await signIn(provider);
      await submit(addressOf(), { continue_as: "alice" });
      const start = /<details >\s*<summary>Deactivate account/;
      const list = /<h2>Your devices/;
      const device = /<summary>Remove device/;
      for (const [action, deviceId, expected] of [
        [undefined, undefined, start],
        ["org.matrix.profile", undefined, start],
        ["org.example.unknown", "ABCDEFGHIJ", start],
        ["org.matrix.account_deactivate", undefined, /<details open>\s*<summary>Deactivate/],
        ["org.matrix.cross_signing_reset", undefined, /Allow new keys/],
        ["org.matrix.devices_list", undefined, list],
        ["org.matrix.sessions_list", undefined, list],
        ["org.matrix.device_delete", undefined, list],
        ["org.matrix.device_view", "ABCDEFGHIJ", device],
        ["org.matrix.device_delete", "ABCDEFGHIJ", device],
        ["org.matrix.session_view", "ABCDEFGHIJ", device],
        ["org.matrix.session_end", "ABCDEFGHIJ", device],
        ["org.matrix.device_view", "<b>ELSE</b>", /You have no device <code>&lt;b&gt;ELSE/],
      ] as const) {
        const { page = "" } = await visit(addressOf(action, deviceId));
        assert.match(page, expected, `${action} on ${deviceId}`);
      }
    });

    it("removes a device: its tokens end, and the homeserver lists it no longer", async () => {
      const other = await signIn(provider, "THEOTHERDEVICE");
      const own = await signIn(provider);
      const { access_token: token } = own.tokens;
      await askHomeserver(homeserver, "devices", other.tokens["access_token"]);
      assert.deepEqual(await devicesOf(token), ["THEOTHERDEVICE", "ABCDEFGHIJ"]);
      const url = addressOf("org.matrix.device_delete", "THEOTHERDEVICE");
      await submit(url, { continue_as: "alice" });
      assert.match(await submit(url, { remove: "THEOTHERDEVICE" }), /THEOTHERDEVICE is removed/);
      assert.deepEqual(await devicesOf(token), ["ABCDEFGHIJ"]);
      const { status, body } = await askHomeserver(
        homeserver,
        "devices",
        other.tokens["access_token"],
      );
      assert.deepEqual(
        [status, body["errcode"], body["soft_logout"]],
        [401, "M_UNKNOWN_TOKEN", false],
      );
      assert.equal((await refresh(provider, other)).body["error"], "invalid_grant");
      assert.equal((await refresh(provider, own)).status, 200);
    });

    it("removes no device of another user", async () => {
      const { tokens } = await signIn(provider);
      const url = addressOf("org.matrix.device_delete", "ABCDEFGHIJ");
      assert.match(await submit(url, { continue_as: "bob" }), /You have no device/);
      assert.match(await submit(url, { remove: "ABCDEFGHIJ" }), /You have no device/);
      assert.deepEqual(await devicesOf(tokens["access_token"]), ["ABCDEFGHIJ"]);
    });

    it("deactivates the account: its sessions end, and it accepts no sign-in", async () => {
      const own = await signIn(provider);
      const url = addressOf("org.matrix.account_deactivate");
      await submit(url, { continue_as: "alice" });
      assert.match(await submit(url, { deactivate: "@alice" }), /Your account is deactivated/);
      const { access_token: token } = own.tokens;
      assert.equal((await askHomeserver(homeserver, "devices", token)).status, 401);
      assert.equal((await refresh(provider, own)).body["error"], "invalid_grant");
      const again = { username: "alice", password: "alice-demo-password" };
      assert.match(await submit(url, again), /Wrong username or password/);
    });
  });

  it("responds to a user who cancels with access_denied and state, without iss", async () => {
    const provider = await startAuthorizationServer({ accounts: createAccounts() });
    try {
      const start = await authorizationUrl(provider, await clientIdOf(provider));
      const visit = openBrowser();
      const { url: page } = await visit(start);
      const body = new URLSearchParams({ action: "cancel" });
      const { url } = await visit(new URL(`${page.href}/sign-in`), { method: "POST", body });
      const { hash } = url;
      const sent = new URLSearchParams(hash.slice(1));
      assert.equal(sent.get("error"), "access_denied");
      assert.deepEqual([sent.get("state"), sent.get("iss")], ["state", null]);
    } finally {
      await provider.close();
    }
  });
});
