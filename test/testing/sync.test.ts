// Clients that sync with the test homeserver, and other servers that verify its users.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createTestServers,
  type TestServers,
  type TestServersOptions,
} from "matrix-auth-elements/testing";

const options = {
  login: ["password"],
  accounts: { alice: "password", bob: "another" },
} as const;

describe("The homeserver of matrix-auth-elements/testing, for clients that sync", () => {
  let servers: TestServers;

  /** As the signed-in user. */
  let request: (path: string, init?: RequestInit) => Promise<Response>;

  const start = async (more: TestServersOptions = {}): Promise<void> => {
    servers = await createTestServers({ ...options, ...more });
    const { accessToken } = servers.signIn("alice");
    const headers = { Authorization: `Bearer ${accessToken}` };
    request = (path, init) =>
      servers.fetch(`${servers.homeserver}/_matrix/${path}`, { headers, ...init });
  };

  it("A syncing client gets the rooms once, with their names and members", async () => {
    await start({ rooms: ["Lighthouse", "Harbor"] });
    const { rooms, next_batch: since } = await (await request("client/v3/sync")).json();
    const found = Object.values<Room>(rooms.join).map(({ timeline: { events } }) => [
      events.find(({ type }) => type === "m.room.name")?.content["name"],
      ...events.flatMap((each) => (each.type === "m.room.member" ? each.state_key : [])),
    ]);
    const members = ["@alice:matrix.example.org", "@bob:matrix.example.org"];
    assert.deepEqual(found, [
      ["Lighthouse", ...members],
      ["Harbor", ...members],
    ]);
    const next = await (await request(`client/v3/sync?since=${since}&timeout=10`)).json();
    assert.deepEqual(next.rooms, { join: {} });
  });

  it("A client in a long poll gets a 401 when it is signed out, and can abort", async () => {
    await start();
    const news = request("client/v3/sync?since=1&timeout=30000");
    servers.signOut("alice");
    assert.equal((await (await news).json()).errcode, "M_UNKNOWN_TOKEN");
    const signal = AbortSignal.abort();
    await assert.rejects(request("client/v3/sync?since=1", { signal }), { name: "AbortError" });
  });

  it("A homeserver without the option has no rooms, and a client without a token gets none", async () => {
    await start();
    assert.deepEqual((await (await request("client/v3/sync")).json()).rooms, { join: {} });
    assert.equal((await request("client/v3/sync", { headers: {} })).status, 401);
  });

  it("A device's keys are the uploaded ones", async () => {
    await start();
    const post = (path: string, body: object): Promise<Response> =>
      request(path, { method: "POST", body: JSON.stringify(body) });
    const upload = await post("client/v3/keys/upload", { device_keys: { device_id: "HERE" } });
    assert.deepEqual(await upload.json(), { one_time_key_counts: { signed_curve25519: 50 } });
    const user = "@alice:matrix.example.org";
    const query = await post("client/v3/keys/query", { device_keys: { [user]: [] } });
    const [keys] = Object.values((await query.json()).device_keys[user]);
    assert.deepEqual(keys, { device_id: "HERE" });
  });

  it("An OpenID token identifies its user to other servers until it expires, and isn't an access token", async () => {
    let now = Date.now();
    await start({ now: () => now });
    const tokenOf = (user: string): Promise<Response> =>
      request(`client/v3/user/${user}/openid/request_token`, { method: "POST", body: "{}" });
    const userinfo = (token: string): Promise<Response> =>
      request(`federation/v1/openid/userinfo?access_token=${token}`, { headers: {} });
    const { access_token: token } = await (await tokenOf("@alice:matrix.example.org")).json();
    assert.deepEqual(await (await userinfo(token)).json(), { sub: "@alice:matrix.example.org" });
    assert.equal((await tokenOf("@bob:matrix.example.org")).status, 403);
    assert.equal((await userinfo("access-token-1")).status, 401);
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await request("client/v3/account/whoami", { headers })).status, 401);
    now += 3_600_000;
    assert.equal((await userinfo(token)).status, 401);
  });
});

interface Room {
  readonly timeline: {
    readonly events: readonly {
      readonly type: string;
      readonly state_key: string;
      readonly content: Readonly<Record<string, unknown>>;
    }[];
  };
}
