import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import {
  API,
  CHALLENGE,
  REDIRECT_URI,
  SCOPE,
  VERIFIER,
  askTokens,
  clientIdOf,
  providerContract,
  register,
  scopeOf,
  send,
} from "./provider.js";
import {
  NATIVE,
  REDIRECT,
  redirectingTo,
  type Members,
  type Registration,
} from "./provider.table.js";

type Provider = Awaited<ReturnType<typeof startAuthorizationServer>>;
type Options = Parameters<typeof startAuthorizationServer>[0];

const HOME_ON_LOOPBACK = { ...NATIVE, client_uri: "http://localhost:8080/" };

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

/** The demo's own pages are on a loopback host. */
const EXCEPTIONS: readonly Registration[] = [
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

      providerContract(provider, EXCEPTIONS);

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

    it("registers a loopback redirect URI with a port together with the same URI without a port", async () => {
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

    it("sends no iss with a code", async () => {
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

    it("responds 403 invalid_scope to a refresh for more than the granted scope", async () => {
      const { clientId, tokens } = await signIn(provider());
      const { status, body } = await askTokens(provider(), {
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: String(tokens["refresh_token"]),
        scope: `${API} urn:matrix:client:device:ANOTHERONE`,
      });
      assert.equal(`${status} ${String(body["error"])}`, "403 invalid_scope");
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

    it("removes a device: its tokens are revoked, and the homeserver no longer lists it", async () => {
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
