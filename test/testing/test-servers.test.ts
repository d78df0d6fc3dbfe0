// The test servers in Node: with its fetch, with the real MSW, and with Playwright's calls.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  HomeserverClient,
  LegacySession,
  accountManagementUrl,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  loginWithPassword,
  registerOidcClient,
  OidcSession,
} from "matrix-auth-elements/core";
import { createTestServers, type TestServers } from "matrix-auth-elements/testing";
import { http } from "msw";
import { setupServer } from "msw/node";

const APP = "https://app.example/";

/** Node has no storage for a pending sign-in. */
function provideSessionStorage(): void {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    key: (nth: number) => [...items.keys()][nth] ?? null,
    get length() {
      return items.size;
    },
  };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
}

const authorizationUrl = async (fetch = globalThis.fetch): Promise<string> => {
  const { baseUrl } = await discoverHomeserver("matrix.example.org", { fetch });
  const metadata = await fetchAuthMetadata(baseUrl, { fetch });
  const client = { clientUri: APP, redirectUris: [APP] };
  const clientId = await registerOidcClient(metadata, client, { fetch });
  return generateOidcAuthorizationUrl({
    ...{ metadata, clientId, homeserverUrl: baseUrl, redirectUri: APP, nonce: "nonce" },
  });
};

const signIn = async (
  servers: TestServers,
  fetch: typeof globalThis.fetch = servers.fetch,
): Promise<OidcSession> => {
  const url = servers.approve(await authorizationUrl(fetch));
  const result = await completeAuthorizationCodeGrantFromUrl(url, { fetch });
  return new OidcSession(result, { fetch });
};

const clientOf = (servers: TestServers, session: OidcSession | LegacySession): HomeserverClient =>
  new HomeserverClient({ baseUrl: servers.homeserver, session, fetch: servers.fetch });

describe("matrix-auth-elements/testing, in Node", () => {
  before(provideSessionStorage);
  after(() => Reflect.deleteProperty(globalThis, "sessionStorage"));

  for (const [name, options] of [
    ["an ID token signed with ES256", { algorithm: "ES256" }],
    ["an ID token signed with RS256", { algorithm: "RS256" }],
    ["an issuer without a slash at its end", { issuer: "https://id.example.org/realms/app" }],
  ] as const) {
    it(`A sign-in is completed, with ${name}`, async () => {
      const servers = await createTestServers(options);
      const session = await signIn(servers);
      assert.deepEqual(await clientOf(servers, session).whoami(), {
        user_id: "@alice:matrix.example.org",
        device_id: session.user.deviceId,
        is_guest: false,
      });
      session.close();
    });
  }

  it("A sign-in is completed through MSW, which handles requests to other servers itself", async () => {
    const servers = await createTestServers();
    const msw = setupServer(...servers.handlers(http));
    msw.listen({ onUnhandledRequest: "error" });
    try {
      const session = await signIn(servers, globalThis.fetch);
      assert.match(await session.accessToken(), /^access-token-/);
      servers.disconnect("/whoami");
      await assert.rejects(
        new HomeserverClient({ baseUrl: servers.homeserver, session }).whoami(),
        { code: "network_error" },
      );
      await assert.rejects(fetch("https://elsewhere.example/"));
      session.close();
    } finally {
      msw.close();
    }
  });

  it("A provider rejects a request that a real one would not accept", async () => {
    const servers = await createTestServers();
    const url = new URL(await authorizationUrl(servers.fetch));
    const broken = {
      redirect_uri: "https://other.example/",
      client_id: "unknown",
      code_challenge_method: "plain",
      scope: "openid",
      response_type: "token",
    };
    for (const [name, value] of Object.entries(broken)) {
      const tampered = new URL(url);
      tampered.searchParams.set(name, value);
      assert.throws(() => servers.approve(tampered), TypeError, name);
      assert.equal((await servers.fetch(tampered)).status, 400, name);
    }
    assert.throws(() => servers.approve(url, { user: "nobody" }), TypeError);
    assert.throws(() => servers.approve("https://matrix.example.org/elsewhere"), TypeError);
  });

  it("A code is valid once, and only with its verifier", async () => {
    const servers = await createTestServers();
    const url = servers.approve(await authorizationUrl(servers.fetch));
    const code = new URL(url).searchParams.get("code") ?? "";
    const exchange = (verifier: string): Promise<Response> =>
      servers.fetch(`${servers.issuer}token`, {
        method: "POST",
        body: new URLSearchParams({
          ...{ grant_type: "authorization_code", code, redirect_uri: APP },
          ...{ client_id: "client-1", code_verifier: verifier },
        }),
      });
    assert.equal((await exchange("guessed")).status, 400);
    const completed = await completeAuthorizationCodeGrantFromUrl(url, { fetch: servers.fetch });
    assert.equal(completed.deviceId.length, 10);
    assert.equal((await exchange("guessed")).status, 400);
  });

  it("Revoking a token of an earlier session doesn't end the device's later session", async () => {
    const servers = await createTestServers({ login: ["oauth", "password"] });
    const earlier = await signIn(servers);
    const body = new URLSearchParams({ token: (await earlier.accessToken()).toString() });
    const { deviceId } = earlier.user;
    const { accessToken } = servers.signIn("alice", { deviceId });
    await servers.fetch(`${servers.issuer}revoke`, { method: "POST", body });
    const { homeserver: baseUrl, fetch } = servers;
    const later = new HomeserverClient({ baseUrl, accessToken, fetch });
    assert.equal((await later.whoami()).device_id, deviceId);
    earlier.close();
  });

  it("A new account without a name gets an unused name", async () => {
    const taken = Array.from({ length: 9 }, (_, nth) => `user${nth}`);
    const accounts = Object.fromEntries(taken.map((user) => [user, "a-long-password"]));
    const servers = await createTestServers({ login: ["oauth", "password"], accounts });
    const url = new URL(await authorizationUrl(servers.fetch));
    url.searchParams.set("prompt", "create");
    const { fetch, homeserver } = servers;
    const result = await completeAuthorizationCodeGrantFromUrl(servers.approve(url), { fetch });
    assert.ok(!taken.includes(result.idTokenClaims?.sub ?? "user0"));
    servers.uia.registrationFlows = [[]];
    servers.reset();
    const body = JSON.stringify({ password: "a-long-password" });
    const register = `${homeserver}/_matrix/client/v3/register`;
    const response = await fetch(register, { method: "POST", body });
    const { user_id } = (await response.json()) as { readonly user_id: string };
    assert.equal(user_id, "@user9:matrix.example.org");
  });

  it("A user who declines returns with access_denied", async () => {
    const servers = await createTestServers();
    const url = servers.decline(await authorizationUrl(servers.fetch));
    await assert.rejects(completeAuthorizationCodeGrantFromUrl(url, { fetch: servers.fetch }), {
      code: "access_denied",
    });
  });

  for (const kind of ["oauth", "legacy"] as const) {
    const signedIn = async () => {
      const servers = await createTestServers({ login: ["oauth", "password"] });
      const session =
        kind === "oauth"
          ? await signIn(servers)
          : new LegacySession(servers.signIn(), { fetch: servers.fetch });
      return { servers, session, client: clientOf(servers, session) };
    };

    it(`A session (${kind}) is refreshed after expireTokens()`, async () => {
      const { servers, session, client } = await signedIn();
      const before = await session.accessToken();
      servers.expireTokens();
      await client.whoami();
      assert.notEqual(await session.accessToken(), before);
      session.close();
    });

    it(`A session (${kind}) ends after endSessions()`, async () => {
      const { servers, session, client } = await signedIn();
      const ended: Event[] = [];
      session.addEventListener("session-ended", (event) => ended.push(event));
      servers.endSessions({ softLogout: true });
      await assert.rejects(client.whoami());
      assert.equal(ended.length, 1);
      assert.equal(session.state, "soft-logout");
    });
  }

  it("A request is rejected, rate-limited, or disconnected the set number of times", async () => {
    const servers = await createTestServers({ login: ["password"] });
    const login = (password = "password"): Promise<unknown> =>
      loginWithPassword(
        {
          homeserverUrl: servers.homeserver,
          identifier: { type: "m.id.user", user: "alice" },
          password,
        },
        { fetch: servers.fetch },
      );
    servers.refuse("POST /login", 403, { errcode: "M_USER_DEACTIVATED" });
    await assert.rejects(login(), { code: "user_deactivated" });
    servers.rateLimit("/login", { times: 2 });
    await assert.rejects(login(), { code: "rate_limited" });
    await assert.rejects(login(), { code: "rate_limited" });
    const connect = servers.disconnect("", { times: Infinity });
    await assert.rejects(login(), { code: "network_error" });
    connect();
    await assert.rejects(login("wrong"), { code: "credentials_invalid" });
    await login();
    Object.assign(servers.account("alice") ?? {}, { locked: true });
    await assert.rejects(login(), { code: "user_locked" });
    servers.reset();
    await login();
    assert.equal(servers.requests.length, 1);
  });

  it("A browser's preflight is answered, and leaves the rejection for the request itself", async () => {
    const servers = await createTestServers();
    const url = `${servers.homeserver}/_matrix/client/v3/capabilities`;
    const statusOf = async (method: string): Promise<number> =>
      (await servers.respond(new Request(url, { method }))).status;
    for (const end of ["/capabilities", ""]) {
      servers.refuse(end, 404, { errcode: "M_UNRECOGNIZED" });
      assert.deepEqual([await statusOf("OPTIONS"), await statusOf("GET")], [204, 404], end);
      assert.equal(await statusOf("GET"), 401, end);
    }
    servers.refuse("OPTIONS /capabilities", 403, {});
    assert.deepEqual([await statusOf("GET"), await statusOf("OPTIONS")], [401, 403]);
  });

  it("A redirect that keeps the method keeps the bytes of the body", async () => {
    const servers = await createTestServers({ login: ["password"] });
    const { accessToken } = servers.signIn();
    const headers = { Authorization: `Bearer ${accessToken}` };
    const api = `${servers.homeserver}/_matrix/`;
    servers.override("/moved", () => Response.redirect(`${api}media/v3/upload`, 307));
    const upload = { method: "POST", headers, body: Uint8Array.of(0x89, 0xff) };
    const uploaded = await servers.fetch(`${api}moved`, upload);
    const { content_uri: uri } = (await uploaded.json()) as { readonly content_uri: string };
    const path = uri.slice("mxc://".length);
    const loaded = await servers.fetch(`${api}client/v1/media/download/${path}`, { headers });
    assert.deepEqual([...new Uint8Array(await loaded.arrayBuffer())], [0x89, 0xff]);
  });

  it("A refresh ends the earlier access token of a provider, but not of the legacy API", async () => {
    const servers = await createTestServers({ login: ["oauth", "password"] });
    const oauth = await signIn(servers);
    const legacy = new LegacySession(servers.signIn(), { fetch: servers.fetch });
    for (const [session, expected] of [
      [oauth, 401],
      [legacy, 200],
    ] as const) {
      const replaced = (await session.accessToken()).toString();
      await session.refresh();
      const url = `${servers.homeserver}/_matrix/client/v3/account/whoami`;
      const headers = { Authorization: `Bearer ${replaced}` };
      assert.equal((await servers.fetch(url, { headers })).status, expected);
      session.close();
    }
  });

  it("Requests are listed with their cancellation, even if no server exists", async () => {
    const servers = await createTestServers();
    const cancelling = new AbortController();
    servers.override("/whoami", () => new Promise(() => undefined));
    const url = `${servers.homeserver}/_matrix/client/v3/account/whoami`;
    const pending = servers.fetch(url, { signal: cancelling.signal });
    assert.deepEqual(
      servers.requests.map(({ signal }) => signal.aborted),
      [false],
    );
    cancelling.abort();
    await assert.rejects(pending, { name: "AbortError" });
    const elsewhere = { method: "POST", body: "text" };
    await assert.rejects(servers.fetch("https://elsewhere.example/", elsewhere), TypeError);
    assert.deepEqual(
      servers.requests.map(({ method, body, signal }) => [method, body, signal.aborted]),
      [
        ["GET", "", true],
        ["POST", "text", false],
      ],
    );
  });

  it("Only a redirect is followed to its location", async () => {
    const servers = await createTestServers();
    const url = `${servers.homeserver}/_matrix/client/versions`;
    for (const [status, redirect, expected] of [
      [201, "follow", 201],
      [201, "error", 201],
      [302, "follow", 200],
      [302, "manual", 0],
    ] as const) {
      servers.override(
        "/versions",
        () => new Response(null, { status, headers: { Location: url } }),
      );
      assert.equal(
        (await servers.fetch(url, { redirect })).status,
        expected,
        `${status} ${redirect}`,
      );
    }
  });

  it("A test can replace the provider's metadata", async () => {
    const metadata = { prompt_values_supported: [], revocation_endpoint: undefined };
    const { homeserver, issuer, fetch } = await createTestServers({ metadata });
    for (const url of [
      `${homeserver}/_matrix/client/v1/auth_metadata`,
      `${issuer}.well-known/openid-configuration`,
    ]) {
      const found = (await (await fetch(url)).json()) as Record<string, unknown>;
      assert.deepEqual(found["prompt_values_supported"], []);
      assert.equal("revocation_endpoint" in found, false);
      assert.equal(found["issuer"], issuer);
    }
  });

  it("A user removes a device, and deactivates the account, on the provider's account page", async () => {
    const servers = await createTestServers();
    const [session, other] = [await signIn(servers), await signIn(servers)];
    const client = clientOf(servers, session);
    const metadata = await client.getAuthMetadata();
    const pageOf = (action: string, deviceId?: string): string =>
      accountManagementUrl(metadata, action, { deviceId }) ?? "";
    assert.throws(() => servers.approve(pageOf("org.matrix.devices_list")), TypeError);
    assert.throws(() => servers.approve(pageOf("org.matrix.device_view", "UNKNOWN")), TypeError);
    const page = pageOf("org.matrix.device_delete", other.user.deviceId);
    assert.match(await (await servers.fetch(page)).text(), /<button/);
    servers.approve(page);
    const { devices } = await client.getDevices();
    assert.deepEqual(
      devices.map(({ device_id }) => device_id),
      [session.user.deviceId],
    );
    await assert.rejects(clientOf(servers, other).whoami(), { errcode: "M_UNKNOWN_TOKEN" });
    assert.equal(other.state, "signed-out");
    await servers.fetch(pageOf("org.matrix.account_deactivate"), { method: "POST" });
    await assert.rejects(client.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
    assert.equal(servers.account("alice")?.deactivated, true);
  });

  it("A homeserver on this machine is found by the name of another host", async () => {
    const homeserver = "http://127.0.0.1:8080/homeserver";
    const { fetch } = await createTestServers({ homeserver, serverName: "example.org" });
    const response = await fetch("https://example.org/.well-known/matrix/client?fresh#part");
    const file = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(file["m.homeserver"], { base_url: `${homeserver}/` });
  });

  it("Another document continues with the data in the store", async () => {
    const items = new Map<string, string>();
    const store = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
    };
    const [page, popup] = [await createTestServers({ store }), await createTestServers({ store })];
    const url = popup.approve(await authorizationUrl(page.fetch));
    const { idTokenClaims } = await completeAuthorizationCodeGrantFromUrl(url, {
      fetch: page.fetch,
    });
    assert.equal(idTokenClaims?.sub, "alice");
  });

  it("The provider's page in Playwright has links to agree and to decline", async () => {
    const servers = await createTestServers();
    const url = await authorizationUrl(servers.fetch);
    let html = "";
    await servers.route({
      request: () => ({
        url: () => url,
        method: () => "GET",
        headers: () => ({}),
        postDataBuffer: () => null,
      }),
      fulfill: async ({ body }) => void (html = String(body)),
      abort: () => assert.fail("aborted"),
    });
    const [agree = "", decline = ""] = [...html.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    assert.match(decline, /error=access_denied/);
    await completeAuthorizationCodeGrantFromUrl(agree, { fetch: servers.fetch });
  });
});
