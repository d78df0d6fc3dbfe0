// A signed-in user's requests to the test homeserver, through the library's client.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { HomeserverClient } from "matrix-auth-elements/core";
import { createTestServers, type TestServers } from "matrix-auth-elements/testing";

describe("The homeserver of matrix-auth-elements/testing", () => {
  let servers: TestServers;
  let client: HomeserverClient;

  const clientFor = (user: string, deviceId: string): HomeserverClient => {
    const { accessToken, userId } = servers.signIn(user, { deviceId });
    const { homeserver: baseUrl, fetch } = servers;
    return new HomeserverClient({ baseUrl, accessToken, userId, fetch });
  };

  beforeEach(async () => {
    servers = await createTestServers({
      login: ["password", "sso"],
      accounts: { alice: "password", bob: { password: "another", emails: ["bob@mail.example"] } },
    });
    client = clientFor("alice", "HERE");
  });

  const devicesOf = (user: string): readonly string[] | undefined =>
    servers.account(user)?.devices.map(({ device_id }) => device_id);

  it("It reports the capabilities that a test sets, and rejects requests that they forbid", async () => {
    const off = { enabled: false };
    Object.assign(servers.capabilities, {
      ...{ "m.change_password": off, "m.3pid_changes": off },
      ...{ "m.get_login_token": undefined, "org.example.odd": "text" },
    });
    const found = await client.getCapabilities();
    assert.deepEqual(Object.keys(found).sort(), [
      "m.3pid_changes",
      "m.change_password",
      "org.example.odd",
    ]);
    const refused = { httpStatus: 403, errcode: "M_FORBIDDEN" };
    const requests = [
      client.setPassword(undefined, "another-password"),
      client.requestAdd3pidEmailToken("alice@mail.example", "secret", 1),
      client.addThreePidOnly({ sid: "1", client_secret: "secret" }),
      client.deleteThreePid("email", "alice@mail.example"),
    ];
    // At once: a rejection that comes while another is awaited would count as unhandled.
    await Promise.all(requests.map((request) => assert.rejects(request, refused)));
  });

  it("It sends no message to an address that a terminal would obey, which any web page can request", async () => {
    const send = (email: string): Promise<unknown> =>
      client.requestRegisterEmailToken(email, "secret", 1);
    for (const code of ["\u001B]52;c;bHM=\u0007", "\u009B2J", "\u007F"]) {
      const refused = { httpStatus: 400, errcode: "M_BAD_JSON" };
      await assert.rejects(send(`a${code}@mail.example`), refused);
      await assert.rejects(send(`a@mail${code}.example`), refused);
    }
    await send("björn@mail.example");
    assert.deepEqual(
      servers.messages.map(({ address }) => address),
      ["björn@mail.example"],
    );
  });

  it("It lists devices with their data, until they are signed out elsewhere", async () => {
    const tablet = { device_id: "TABLET", display_name: "Tablet", last_seen_ts: 1 };
    servers.account("alice")?.devices.push({ ...tablet, last_seen_ip: "192.0.2.7" });
    const other = clientFor("alice", "OTHER");
    const { devices } = await client.getDevices();
    const found = devices.find(({ device_id: id }) => id === "TABLET");
    const expected = { ...tablet, last_seen_ip: "192.0.2.7", user_id: "@alice:matrix.example.org" };
    assert.deepEqual(found, expected);
    servers.signOut("alice", "OTHER");
    await assert.rejects(other.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
    assert.deepEqual(devicesOf("alice"), ["HERE", "TABLET"]);
    servers.signOut("alice");
    await assert.rejects(client.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
  });

  it("It lets no one sign in to an account that a test deactivates", async () => {
    Object.assign(servers.account("bob") ?? {}, { deactivated: true });
    assert.throws(() => servers.signIn("bob"), TypeError);
    const identifier = { type: "m.id.user", user: "bob" } as const;
    await assert.rejects(
      client.login({ type: "m.login.password", identifier, password: "another" }),
      { errcode: "M_USER_DEACTIVATED" },
    );
  });

  it("It responds like a server to an HTTP server in front of it, without following redirects", async () => {
    const { sid } = await client.requestAdd3pidEmailToken(
      ...(["new@mail.example", "secret", 1, "https://app.example/next"] as const),
    );
    const { link = "" } = servers.messages[0] ?? {};
    assert.throws(() => servers.approve(`${link}x`));
    const response = await servers.respond(new Request(link));
    assert.equal(response.status, 302);
    assert.equal(response.headers.get("Location"), `https://app.example/next?sid=${sid}`);
    const elsewhere = await servers.respond(new Request("https://elsewhere.example/"));
    assert.equal(elsewhere.status, 404);
  });

  it("It has the added users, and uses the given clock", async () => {
    let time = 0;
    const timed = await createTestServers({ login: ["password"], now: () => time });
    timed.addAccount("dora", "a-long-password");
    const { accessToken, expiresAt } = timed.signIn("dora");
    assert.equal(expiresAt, 300);
    const { homeserver: baseUrl, fetch } = timed;
    const dora = new HomeserverClient({ baseUrl, accessToken, fetch });
    assert.equal((await dora.whoami()).user_id, "@dora:matrix.example.org");
    time = 300_000;
    await assert.rejects(dora.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
  });

  it("An account can have the name of a member that every object has", async () => {
    const user = "constructor";
    const profileOf = (): Promise<Response> =>
      servers.fetch(`${servers.homeserver}/_matrix/client/v3/profile/@${user}:matrix.example.org`);
    assert.equal((await profileOf()).status, 404);
    assert.equal(servers.account(user), undefined);
    const body = { username: user, password: "a-long-password" };
    const auth = { type: "m.login.dummy" };
    assert.equal((await client.register({ ...body, auth })).user_id, `@${user}:matrix.example.org`);
    assert.equal((await profileOf()).status, 200);
  });

  for (const stored of [false, true]) {
    const how = stored ? "with" : "without";
    it(`No member of every object counts as a client, session, or field, ${how} a store`, async () => {
      const items = new Map<string, string>();
      const store = {
        getItem: (key: string) => items.get(key) ?? null,
        setItem: (key: string, value: string) => void items.set(key, value),
      };
      const options = { login: ["oauth", "password"], ...(stored && { store }) } as const;
      const first = await createTestServers(options);
      const { accessToken } = first.signIn();
      const { homeserver, issuer, fetch } = stored ? await createTestServers(options) : first;
      const send = async (method: string, url: string, body?: string | object): Promise<number> => {
        const sent = typeof body === "string" ? body : JSON.stringify(body);
        const headers = { Authorization: `Bearer ${accessToken}` };
        return (await fetch(url, { method, headers, ...(sent && { body: sent }) })).status;
      };
      const api = `${homeserver}/_matrix/client/v3/`;
      for (const name of ["constructor", "toString", "__proto__"]) {
        const form = `client_id=${name}&grant_type=refresh_token`;
        assert.equal(await send("POST", `${issuer}token`, form), 401, name);
        const url = `${api}profile/@alice:matrix.example.org/${name}`;
        assert.equal(await send("PUT", url, { [name]: "text" }), 400, name);
        const auth = { session: name, type: "m.login.dummy" };
        assert.equal(await send("DELETE", `${api}devices/OTHER`, { auth }), 400, name);
      }
    });
  }

  it("An address that is added twice is listed once", async () => {
    const secret = { client_secret: "secret" };
    const { sid } = await client.requestAdd3pidEmailToken("new@mail.example", "secret", 1);
    servers.approve(servers.messages[0]?.link ?? "");
    servers.uia.flows = [[]];
    await client.addThreePidOnly({ sid, ...secret });
    await client.addThreePidOnly({ sid, ...secret });
    const { threepids } = await client.getThreePids();
    assert.deepEqual(
      threepids.map(({ address }) => address),
      ["new@mail.example"],
    );
  });

  it("It responds to HEAD as to GET, without a body", async () => {
    for (const [path, status] of [
      ["client/versions", 200],
      ["client/v3/login", 200],
      ["client/v3/account/whoami", 401],
      ["client/v3/register", 405],
      ["client/v3/nothing", 404],
    ] as const) {
      const url = `${servers.homeserver}/_matrix/${path}`;
      const response = await servers.fetch(url, { method: "HEAD" });
      assert.deepEqual([response.status, await response.text()], [status, ""], path);
      assert.equal(response.headers.get("Content-Type"), "application/json", path);
    }
  });

  it("It completes no stage on its page by HEAD", async () => {
    servers.uia.flows = [["m.login.terms"]];
    const url = `${servers.homeserver}/_matrix/client/v3/devices/OTHER`;
    const headers = { Authorization: `Bearer ${servers.signIn().accessToken}` };
    const remove = (session?: string): Promise<Response> =>
      servers.fetch(url, {
        method: "DELETE",
        headers,
        body: JSON.stringify({ auth: { session } }),
      });
    const { session } = (await (await remove()).json()) as { readonly session: string };
    const page = `${servers.homeserver}/_matrix/client/v3/auth/m.login.terms/fallback/web`;
    await servers.fetch(`${page}?session=${session}`, { method: "HEAD" });
    assert.equal((await remove(session)).status, 401);
  });

  it("It sends media also by a URL with a file name", async () => {
    const headers = { Authorization: `Bearer ${servers.signIn().accessToken}` };
    const api = `${servers.homeserver}/_matrix/`;
    const upload = { method: "POST", headers, body: "content" };
    const uploaded = await servers.fetch(`${api}media/v3/upload`, upload);
    const { content_uri: uri } = (await uploaded.json()) as { readonly content_uri: string };
    const path = uri.slice("mxc://".length);
    const url = `${api}client/v1/media/download/${path}/image.png`;
    assert.equal(await (await servers.fetch(url, { headers })).text(), "content");
  });

  it("It reads a query with a second question mark, and ignores a fragment", async () => {
    servers.uia.registrationTokens = ["a?b"];
    const url = `${servers.homeserver}/_matrix/client/v1/register/m.login.registration_token/validity`;
    const response = await servers.fetch(`${url}?token=a?b#part`);
    assert.deepEqual(await response.json(), { valid: true });
  });

  it("It rejects a path whose percent-encoding is malformed", async () => {
    const url = `${servers.homeserver}/_matrix/client/v3/profile/%E0%A4%A`;
    const response = await servers.fetch(url);
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { errcode: string }).errcode, "M_INVALID_PARAM");
  });
});
