// A signed-in user's requests to the test homeserver, through the library's client.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { HomeserverClient, loginWithPassword, type MatrixError } from "matrix-auth-elements/core";
import { createTestServers, type TestServers } from "matrix-auth-elements/testing";

const PASSWORD = { type: "m.login.password", user: "alice", password: "password" };

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

  /** Confirms a request with the password that it requires. */
  const confirmed = async <T>(
    send: (auth: Record<string, unknown> | undefined) => Promise<T>,
    auth: Record<string, unknown> = PASSWORD,
  ): Promise<T> => {
    const { data, httpStatus } = await send(undefined).then(
      () => assert.fail("nothing was asked for"),
      (error: unknown) => error as MatrixError,
    );
    assert.equal(httpStatus, 401);
    return send({ ...auth, session: data["session"] });
  };
  const devicesOf = (user: string): readonly string[] | undefined =>
    servers.account(user)?.devices.map(({ device_id }) => device_id);

  it("It signs out the devices that it deletes", async () => {
    const other = clientFor("alice", "OTHER");
    clientFor("alice", "THIRD");
    await confirmed((auth) => client.deleteDevice("OTHER", auth));
    await assert.rejects(other.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
    await confirmed((auth) => client.deleteMultipleDevices(["THIRD"], auth));
    assert.deepEqual(devicesOf("alice"), ["HERE"]);
    await client.logout();
    await assert.rejects(client.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
  });

  it("It accepts only the user's own password, and a UIA session for only one operation", async () => {
    const bob = { type: "m.login.password", user: "bob", password: "another" };
    await assert.rejects(
      confirmed((auth) => client.deleteDevice("HERE", auth), bob),
      { httpStatus: 403 },
    );
    const { data } = await client
      .deleteDevice("HERE")
      .catch((error: unknown) => error as MatrixError);
    const auth = { ...PASSWORD, session: String((data as Record<string, unknown>)["session"]) };
    await assert.rejects(client.deleteDevice("OTHER", auth), { httpStatus: 403 });
    await assert.rejects(client.deleteDevice("HERE", { ...auth, session: "unknown" }), {
      httpStatus: 400,
    });
  });

  it("It changes a password, and signs the other devices out", async () => {
    clientFor("alice", "OTHER");
    await confirmed((auth) => client.setPassword(auth, "another-password"));
    assert.deepEqual(
      [servers.account("alice")?.password, devicesOf("alice")],
      ["another-password", ["HERE"]],
    );
  });

  it("It adds and removes confirmed addresses, unless another user has them", async () => {
    const bobs = client.requestAdd3pidEmailToken("bob@mail.example", "secret", 1);
    await assert.rejects(bobs, { errcode: "M_THREEPID_IN_USE" });
    const unknown = client.requestPasswordEmailToken("eve@mail.example", "secret", 1);
    await assert.rejects(unknown, { errcode: "M_THREEPID_NOT_FOUND" });
    const { sid } = await client.requestAdd3pidEmailToken("alice@mail.example", "secret", 1);
    await client.requestAdd3pidEmailToken("alice@mail.example", "secret", 1);
    assert.equal(servers.messages.length, 1);
    const add = (auth?: Record<string, unknown>): Promise<unknown> =>
      client.addThreePidOnly({ sid, client_secret: "secret", ...(auth && { auth }) });
    await assert.rejects(confirmed(add), { errcode: "M_THREEPID_AUTH_FAILED" });
    assert.throws(() => servers.approve(`${servers.messages[0]?.link ?? ""}x`));
    servers.approve(servers.messages[0]?.link ?? "");
    await confirmed(add);
    const { threepids } = await client.getThreePids();
    assert.deepEqual(
      threepids.map(({ address }) => address),
      ["alice@mail.example"],
    );
    await client.deleteThreePid("email", "alice@mail.example");
    assert.deepEqual(servers.account("alice")?.emails, []);
  });

  it("It signs in with an email address, and rejects the code of another message", async () => {
    const identifier = {
      type: "m.id.thirdparty",
      medium: "email",
      address: "bob@mail.example",
    } as const;
    const { homeserver: homeserverUrl, fetch } = servers;
    const { userId } = await loginWithPassword(
      { homeserverUrl, identifier, password: "another" },
      { fetch },
    );
    assert.equal(userId, "@bob:matrix.example.org");
    const { sid, submit_url = "" } = await client.requestAdd3pidMsisdnToken(
      ...(["GB", "07700900123", "secret", 1] as const),
    );
    const submit = (code: string): Promise<unknown> =>
      client.submitMsisdnTokenOtherUrl(submit_url, sid, "secret", code);
    await assert.rejects(submit("000000"), { errcode: "M_TOKEN_INCORRECT" });
    await submit(servers.messages[0]?.code ?? "");
  });

  it("It accepts the first cross-signing keys immediately, and others after confirmation", async () => {
    await client.bootstrapCrossSigning();
    await assert.rejects(client.bootstrapCrossSigning(), { httpStatus: 401 });
    await client.bootstrapCrossSigning({
      authUploadDeviceSigningKeys: (upload) =>
        confirmed((auth) => upload((auth ?? null) as Parameters<typeof upload>[0])),
    });
  });

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

  it("It issues a login token that works once", async () => {
    const { login_token: token } = await confirmed((auth) => client.requestLoginToken(auth));
    const login = (): Promise<{ user_id: string }> =>
      client.login({ type: "m.login.token", token });
    assert.equal((await login()).user_id, "@alice:matrix.example.org");
    await assert.rejects(login(), { errcode: "M_FORBIDDEN" });
  });

  it("It deactivates an account, which then accepts no sign-in", async () => {
    await confirmed((auth) => client.deactivateAccount(auth));
    await assert.rejects(client.whoami(), { errcode: "M_UNKNOWN_TOKEN" });
    assert.throws(() => servers.signIn("alice"), TypeError);
    const identifier = { type: "m.id.user", user: "alice" } as const;
    await assert.rejects(
      client.login({ type: "m.login.password", identifier, password: "password" }),
      // Deactivation removes the password, as in Synapse. An account that the test deactivates gets
      // M_USER_DEACTIVATED.
      { errcode: "M_FORBIDDEN" },
    );
    Object.assign(servers.account("bob") ?? {}, { deactivated: true });
    const bob = { type: "m.id.user", user: "bob" } as const;
    await assert.rejects(
      client.login({ type: "m.login.password", identifier: bob, password: "another" }),
      { errcode: "M_USER_DEACTIVATED" },
    );
  });

  it("It rejects unknown requests, and bodies that are not JSON", async () => {
    const api = `${servers.homeserver}/_matrix/client/v3`;
    const rooms = await servers.fetch(`${api}/publicRooms`);
    assert.deepEqual(
      [rooms.status, ((await rooms.json()) as MatrixError).errcode],
      [404, "M_UNRECOGNIZED"],
    );
    const login = await servers.fetch(`${api}/login`, { method: "POST", body: "{" });
    assert.equal(((await login.json()) as MatrixError).errcode, "M_NOT_JSON");
  });

  it("It responds like a server to an HTTP server in front of it, without following redirects", async () => {
    const { sid } = await client.requestAdd3pidEmailToken(
      ...(["new@mail.example", "secret", 1, "https://app.example/next"] as const),
    );
    const { link = "" } = servers.messages[0] ?? {};
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
});
