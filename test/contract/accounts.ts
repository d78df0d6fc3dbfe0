import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { HomeserverClient, discoverHomeserver } from "matrix-auth-elements/core";
import {
  DUMMY,
  apiClient,
  assertChallenged,
  assertRefused,
  createSignedInUser,
  passwordAuth,
  passwordLogin,
  refuses,
  signIn,
  within,
  type ApiClient,
  type ApiResponse,
  type SignedInUser,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

const WHOAMI = ["GET", "v3/account/whoami"] as const;
const LOGIN = ["POST", "v3/login"] as const;
const TOKEN_LOGIN = "m.login.token";
const PASSWORD = ["POST", "v3/account/password"] as const;
const UPLOAD_KEYS = ["POST", "v3/keys/device_signing/upload"] as const;
/** A PNG image. */
const PIXEL = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);
/** The form of a challenge's session in Synapse. */
const SESSION = /^[a-zA-Z]{24}$/;

/** A user with a wrong password, or an unknown user. */
const STRANGERS = [
  ["an unknown name", { type: "m.id.user", user: "unknown-name" }],
  ["a user of another server", { type: "m.id.user", user: "@a:elsewhere.example" }],
  [
    "an address of no account",
    { type: "m.id.thirdparty", medium: "email", address: "no@hs.example" },
  ],
] as const;

/** The requirements for each kind of homeserver, and the operations of a signed-in account. */
export function accountsContract(kind: Kind): void {
  within(kind, "as it is installed", (given, it) => {
    let server: HomeserverUnderTest;
    let me: SignedInUser;
    let client: HomeserverClient;
    let anonymous: ApiClient;

    beforeEach(async () => {
      server = given();
      anonymous = apiClient(server);
      me = await createSignedInUser(server);
      client = new HomeserverClient({ baseUrl: server.baseUrl, accessToken: me.token });
    });

    const logIn = (change: object = {}): Promise<ApiResponse> =>
      anonymous(...LOGIN, { ...passwordLogin(me), ...change });
    const isSignedOut = ({ api }: SignedInUser): Promise<void> =>
      assertRefused(api(...WHOAMI), "401 M_UNKNOWN_TOKEN");

    describe("discovery", () => {
      it("finds the base URL of the API from the server's name", async () => {
        const { baseUrl } = await discoverHomeserver(server.baseUrl);
        assert.equal(baseUrl.replace(/\/$/, ""), server.baseUrl);
      });

      it("has a well-known file that any page can read", async () => {
        const response = await fetch(`${server.baseUrl}/.well-known/matrix/client`);
        const body = (await response.json()) as Record<string, { base_url: string }>;
        assert.equal(body["m.homeserver"]?.base_url, `${server.baseUrl}/`);
        assert.equal(response.headers.get("Access-Control-Allow-Origin"), "*");
      });

      it("announces versions from r0.0.1 up to v1.12", async () => {
        const { body } = await anonymous("GET", "versions");
        const versions = body["versions"] as string[];
        assert.deepEqual([versions[0], ...versions.slice(-2)], ["r0.0.1", "v1.11", "v1.12"]);
      });

      it("lists the password among the sign-in methods", async () => {
        const { body } = await anonymous("GET", "v3/login");
        const flows = body.flows as unknown as { type: string }[];
        assert.ok(flows.some(({ type }) => type === "m.login.password"));
      });
    });

    describe("every response", () => {
      const fetchPath = (path: string, init?: RequestInit): Promise<Response> =>
        fetch(`${server.baseUrl}/_matrix/client/${path}`, init);
      const preflight = {
        method: "OPTIONS",
        headers: { Origin: "https://app.example", "Access-Control-Request-Method": "DELETE" },
      };
      const HEADERS = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization, Date",
        // A page on another origin cannot read Retry-After.
        "Access-Control-Expose-Headers": "Synapse-Trace-Id, Server",
      };

      for (const [what, path, init] of [
        ["a success", "versions"],
        ["an error", "v3/account/whoami"],
        ["an unknown path", "v3/nothing"],
        ["a preflight", "v3/devices/ONE", preflight],
        ["a preflight of an unknown path", "v3/nothing", preflight],
      ] as const) {
        it(`can be read by a page of any origin: ${what}`, async () => {
          const { headers } = await fetchPath(path, init);
          for (const [name, value] of Object.entries(HEADERS)) {
            assert.equal(headers.get(name), value, name);
          }
        });
      }

      it("is 204 for a preflight", async () => {
        assert.equal((await fetchPath("v3/login", preflight)).status, 204);
      });

      it("is JSON that isn't cached, including errors", async () => {
        for (const path of ["versions", "v3/nothing", "v3/account/whoami"]) {
          const { headers } = await fetchPath(path);
          assert.match(headers.get("Content-Type") ?? "", /^application\/json/);
          if (path === "versions") continue;
          assert.equal(headers.get("Cache-Control"), "no-cache, no-store, must-revalidate");
        }
      });
    });

    describe("without a token", () => {
      const UNRECOGNIZED = "404 M_UNRECOGNIZED" as const;
      const MISSING = "401 M_MISSING_TOKEN" as const;
      refuses(it, () => anonymous, [
        ["auth_metadata", ["GET", "v1/auth_metadata"], UNRECOGNIZED],
        [
          "the unstable auth_metadata",
          ["GET", "unstable/org.matrix.msc2965/auth_metadata"],
          UNRECOGNIZED,
        ],
        ["auth_issuer", ["GET", "unstable/org.matrix.msc2965/auth_issuer"], UNRECOGNIZED],
        ["an unknown path", ["GET", "v3/nothing"], UNRECOGNIZED],
        ["an unknown method", ["PUT", "v3/login", {}], "405 M_UNRECOGNIZED"],
        ["a body that is not JSON", [...LOGIN, "{"], "400 M_NOT_JSON"],
        ["a body that is not an object", [...LOGIN, []], "400 M_BAD_JSON"],
        ["whoami", WHOAMI, MISSING],
        ["cross-signing keys", [...UPLOAD_KEYS, {}], MISSING],
      ]);

      it("rejects another kind of token with M_MISSING_TOKEN", async () => {
        const url = `${server.baseUrl}/_matrix/client/v3/account/whoami`;
        const response = await fetch(url, { headers: { Authorization: "Basic abc" } });
        assert.equal(((await response.json()) as { errcode: string }).errcode, "M_MISSING_TOKEN");
      });

      refuses(it, () => apiClient(server, "no-token"), [
        ["whoami with an unknown token", WHOAMI, "401 M_UNKNOWN_TOKEN"],
        [
          "deleting a device with an unknown token",
          ["DELETE", "v3/devices/OTHER"],
          "401 M_UNKNOWN_TOKEN",
        ],
      ]);
    });

    describe("with a token", () => {
      const DELETE_DEVICES = ["POST", "v3/delete_devices"] as const;
      refuses(it, () => me.api, [
        [
          "a device's name of 101 characters",
          ["PUT", "v3/devices/HERE", { display_name: "x".repeat(101) }],
          "400 M_TOO_LARGE",
        ],
        ["an unknown device", ["GET", "v3/devices/NONE"], "404 M_NOT_FOUND"],
        [
          "a name for an unknown device",
          ["PUT", "v3/devices/NONE", { display_name: "Mine" }],
          "404 M_NOT_FOUND",
        ],
        ["no list of devices", [...DELETE_DEVICES, {}], "400 M_MISSING_PARAM"],
        ["devices that are not a list", [...DELETE_DEVICES, { devices: "X" }], "400 M_BAD_JSON"],
        ["devices that are numbers", [...DELETE_DEVICES, { devices: [1] }], "400 M_BAD_JSON"],
        ["a password that is a number", [...PASSWORD, { new_password: 1 }], "400 M_BAD_JSON"],
        [
          "a password of 513 characters",
          [...PASSWORD, { new_password: "x".repeat(513) }],
          "400 M_BAD_JSON",
        ],
        [
          "an `erase` that is not a boolean",
          ["POST", "v3/account/deactivate", { erase: "maybe" }],
          "400 M_BAD_JSON",
        ],
      ]);

      it("returns the signed-in user", async () => {
        assert.deepEqual(await client.whoami(), {
          user_id: me.userId,
          device_id: me.deviceId,
          is_guest: false,
        });
      });

      it("lists its capabilities", async () => {
        const { "m.change_password": password } = await client.getCapabilities();
        assert.deepEqual(password, { enabled: true });
      });

      it("has no address until one is added", async () => {
        assert.deepEqual((await client.getThreePids()).threepids, []);
      });
    });

    describe("signing in", () => {
      it("returns a token, a device, and the homeserver's URL", async () => {
        const { status, body } = await logIn();
        assert.equal(status, 200);
        assert.equal(body["user_id"], me.userId);
        assert.match(String(body["device_id"]), /^[A-Z]{10}$/);
        assert.equal(body["home_server"], server.serverName);
        const base_url = `${server.baseUrl}/`;
        assert.deepEqual(body["well_known"], { "m.homeserver": { base_url } });
      });

      it("accepts the whole user ID, and a name in capitals", async () => {
        for (const user of [me.userId, me.user.toUpperCase()]) {
          const { body } = await logIn(passwordLogin({ ...me, user }));
          assert.equal(body["user_id"], me.userId);
        }
      });

      for (const [what, change, expected] of [
        ["a wrong password", { password: "wrong" }, "403 M_FORBIDDEN"],
        ...STRANGERS.map(
          ([what, identifier]) => [what, { identifier }, "403 M_FORBIDDEN"] as const,
        ),
        ["an unknown type", { type: "org.example.odd" }, "400 M_UNKNOWN"],
        ["no type", { type: undefined }, "400 M_UNKNOWN"],
        ["an unknown login token", { type: TOKEN_LOGIN, token: "no" }, "403 M_FORBIDDEN"],
        ["no login token", { type: TOKEN_LOGIN }, "400 M_UNKNOWN"],
        ["a device ID of 513 characters", { device_id: "x".repeat(513) }, "400 M_INVALID_PARAM"],
        [
          "a device's name of 101 characters",
          { initial_device_display_name: "x".repeat(101) },
          "400 M_TOO_LARGE",
        ],
        ["a `refresh_token` that is not a boolean", { refresh_token: "yes" }, "400 M_UNKNOWN"],
        ["no password", { password: undefined }, "400 M_INVALID_PARAM"],
        ["no identifier", { identifier: undefined }, "400 M_INVALID_PARAM"],
        ["an unknown type of identifier", { identifier: { type: "m.odd" } }, "400 M_UNKNOWN"],
      ] as const) {
        it(`rejects ${what} with ${expected}`, () => assertRefused(logIn(change), expected));
      }

      it("ends at sign-out, without a soft logout", async () => {
        await client.logout();
        await isSignedOut(me);
        assert.equal((await me.api(...WHOAMI)).body["soft_logout"], false);
      });
    });

    describe("the profile", () => {
      const image = new Blob([PIXEL], { type: "image/png" });

      it("has the name that the user sets, and no name after an empty one", async () => {
        const { userId } = me;
        assert.deepEqual(await client.setDisplayName("Alice ⁨Example"), {});
        assert.equal((await client.getProfileInfo(userId)).displayname, "Alice ⁨Example");
        const field = await client.getProfileInfo(userId, "displayname");
        assert.equal(field.displayname, "Alice ⁨Example");
        await client.setDisplayName("");
        // With neither name nor picture, the user has no profile.
        const notFound = { httpStatus: 404, errcode: "M_NOT_FOUND" };
        await assert.rejects(client.getProfileInfo(userId), notFound);
      });

      it("rejects a name of 10,000 characters", async () => {
        await assert.rejects(client.setDisplayName("a".repeat(10_000)), { httpStatus: 400 });
      });

      it("has the image that the user uploads, until it is removed", async () => {
        const { "m.upload.size": limit = 0 } = await client.getMediaConfig();
        assert.ok(limit > image.size);
        assert.deepEqual(await client.getMediaConfig(false), await client.getMediaConfig());
        const { content_uri } = await client.uploadContent(image);
        await client.setAvatarUrl(content_uri);
        assert.equal((await client.getProfileInfo(me.userId)).avatar_url, content_uri);
        const thumbnail = await client.getThumbnail(content_uri, {
          ...{ width: 32, height: 32, method: "crop" },
        });
        assert.equal(thumbnail.type, "image/png");
        assert.ok(thumbnail.size > 0);
        await client.setAvatarUrl("");
        assert.equal((await client.getProfileInfo(me.userId)).avatar_url, undefined);
      });

      it("rejects the profile of another user", async () => {
        const path = `v3/profile/${encodeURIComponent(`@other:${server.serverName}`)}/displayname`;
        await assertRefused(me.api("PUT", path, { displayname: "Mine" }), "400 M_FORBIDDEN");
      });
    });

    describe("devices", () => {
      it("are listed, with the time and IP address of their last use", async () => {
        await signIn(server, me, "OTHER");
        const { devices } = await client.getDevices();
        const [here, other] = ["HERE", "OTHER"].map((id) =>
          devices.find(({ device_id }) => device_id === id),
        );
        assert.equal(devices.length, 2);
        assert.equal(here?.["user_id"], me.userId);
        assert.equal(typeof here["last_seen_ts"], "number");
        assert.equal(typeof here["last_seen_ip"], "string");
        assert.deepEqual(other, {
          device_id: "OTHER",
          user_id: me.userId,
          display_name: null,
          last_seen_ts: null,
          last_seen_ip: null,
        });
      });

      it("can be renamed", async () => {
        assert.deepEqual(await client.setDeviceDetails("HERE", { display_name: "Mine" }), {});
        assert.equal((await me.api("GET", "v3/devices/HERE")).body["display_name"], "Mine");
      });

      it("are signed out when they are deleted, and an unknown one is ignored", async () => {
        const other = await signIn(server, me, "OTHER");
        for (const id of ["OTHER", "NEVER"]) {
          await client.deleteDevice(id, passwordAuth(undefined, me));
        }
        await isSignedOut(other);
      });

      it("are signed out when several are deleted together, and others stay signed in", async () => {
        const others = [await signIn(server, me, "ONE"), await signIn(server, me, "TWO")];
        await client.deleteMultipleDevices(["ONE", "TWO"], passwordAuth(undefined, me));
        for (const other of others) await isSignedOut(other);
        const { devices } = await client.getDevices();
        assert.deepEqual(
          devices.map(({ device_id }) => device_id),
          ["HERE"],
        );
      });
    });

    describe("user-interactive authentication", () => {
      const flows = [{ stages: ["m.login.password"] }];
      const remove = (body?: object): Promise<ApiResponse> =>
        me.api("DELETE", "v3/devices/OTHER", body);
      const begin = async (): Promise<string> => (await remove()).body.session ?? "";

      for (const body of [undefined, {}, { auth: {} }]) {
        it(`starts with 401, flows, params and a session when the body is ${JSON.stringify(body)}`, async () => {
          const { session = "", ...rest } = await assertChallenged(remove(body));
          assert.match(session, SESSION);
          assert.deepEqual(rest, { flows, params: {} });
        });
      }

      it("succeeds with the session and the password, with a user ID or a name in capitals", async () => {
        for (const user of [me.user, me.userId, me.user.toUpperCase()]) {
          const auth = passwordAuth(await begin(), { ...me, user });
          assert.equal((await remove({ auth })).status, 200);
        }
      });

      it("reports an incorrect password, and that nothing is completed", async () => {
        const session = await begin();
        const auth = passwordAuth(session, { ...me, password: "wrong" });
        const body = await assertChallenged(remove({ auth }), "M_FORBIDDEN");
        assert.equal(typeof body["error"], "string");
        assert.deepEqual([body.completed, body.session, body.flows], [[], session, flows]);
      });

      it("starts a session with the first attempt without one", async () => {
        const auth = passwordAuth(undefined, { ...me, password: "wrong" });
        const { session } = await assertChallenged(remove({ auth }), "M_FORBIDDEN");
        assert.match(session ?? "", SESSION);
      });

      it("reports the missing stages when only the session is given", async () => {
        const auth = { session: await begin() };
        assert.deepEqual((await assertChallenged(remove({ auth }))).completed, []);
      });

      for (const [what, identifier] of STRANGERS) {
        it(`requests the password again after the password of ${what}`, async () => {
          const auth = { ...passwordAuth(await begin(), me), identifier };
          await assertChallenged(remove({ auth }), "M_FORBIDDEN");
        });
      }

      it("rejects the session with 403 after another user's password, until the user's own password is sent", async () => {
        const session = await begin();
        const other = await createSignedInUser(server);
        for (const auth of [passwordAuth(session, other), { session }]) {
          await assertRefused(remove({ auth }), "403 M_FORBIDDEN");
        }
        assert.equal((await remove({ auth: passwordAuth(session, me) })).status, 200);
      });

      for (const [what, change, expected] of [
        ["no password", { password: undefined }, "400 M_INVALID_PARAM"],
        ["no identifier", { identifier: undefined }, "400 M_INVALID_PARAM"],
        ["an unknown stage", { type: "org.example.odd" }, "400 M_UNKNOWN"],
        [
          "an unknown stage without an identifier",
          { type: "org.example.odd", identifier: undefined },
          "400 M_INVALID_PARAM",
        ],
        ["an unknown session", { session: "abcdefabcdefabcdefabcdef" }, "400 M_UNKNOWN"],
        ["a session that is a number", { session: 1 }, "400 M_BAD_JSON"],
        ["a type that is a number", { type: 1 }, "400 M_BAD_JSON"],
      ] as const) {
        it(`rejects ${what} with ${expected}`, async () => {
          const auth = { ...passwordAuth(await begin(), me), ...change };
          await assertRefused(remove({ auth }), expected);
        });
      }

      it("rejects an `auth` that is not an object, and fails with a server error for null", async () => {
        await assertRefused(remove({ auth: "text" }), "400 M_BAD_JSON");
        await assertRefused(remove({ auth: null }), "500 M_UNKNOWN");
      });

      it("completes a stage that is in no flow, and requests the others", async () => {
        const auth = { type: DUMMY, session: await begin() };
        assert.deepEqual((await assertChallenged(remove({ auth }))).completed, [DUMMY]);
      });

      it("binds a session to its request", async () => {
        const auth = passwordAuth(await begin(), me);
        const other = me.api("DELETE", "v3/devices/ANOTHER", { auth });
        await assertRefused(other, "403 M_UNKNOWN");
      });

      it("accepts a completed session again for the same request", async () => {
        const session = await begin();
        for (const auth of [passwordAuth(session, me), passwordAuth(session, me), { session }]) {
          assert.equal((await remove({ auth })).status, 200);
        }
      });

      for (const [method, path, request] of [
        ["POST", "v3/delete_devices", { devices: ["X"] }],
        [...PASSWORD, { new_password: "long-enough", logout_devices: false }],
        ["POST", "v3/account/deactivate", {}],
      ] as const) {
        it(`is required by ${method} ${path}`, async () => {
          const { session } = await assertChallenged(me.api(method, path, request));
          const auth = passwordAuth(session, me);
          assert.equal((await me.api(method, path, { ...request, auth })).status, 200);
        });
      }
    });

    describe("changing the password", () => {
      it("makes only the new password valid, and signs out other devices", async () => {
        const other = await signIn(server, me, "OTHER");
        await client.setPassword(passwordAuth(undefined, me), "a-new-password");
        await isSignedOut(other);
        assert.equal((await me.api(...WHOAMI)).status, 200);
        await assertRefused(logIn(), "403 M_FORBIDDEN");
        assert.equal((await logIn({ password: "a-new-password" })).status, 200);
      });

      it("keeps other devices signed in on request", async () => {
        const other = await signIn(server, me, "OTHER");
        await client.setPassword(passwordAuth(undefined, me), "a-new-password", false);
        assert.equal((await other.api(...WHOAMI)).status, 200);
      });

      it("uses the password of the last request", async () => {
        const { body } = await me.api(...PASSWORD, { new_password: "first-one" });
        await client.setPassword(passwordAuth(body.session, me), "second-one");
        assert.equal((await logIn({ password: "first-one" })).status, 403);
        assert.equal((await logIn({ password: "second-one" })).status, 200);
      });

      it("fails when the last request omits the rest of the body", async () => {
        const { body } = await me.api(...PASSWORD, { new_password: "long-enough" });
        const auth = passwordAuth(body.session, me);
        assert.equal((await me.api(...PASSWORD, { auth })).status, 500);
      });
    });

    it("deactivates an account with its token and its password", async () => {
      const body = await client.deactivateAccount(passwordAuth(undefined, me), true);
      assert.equal(body["id_server_unbind_result"], "success");
      await isSignedOut(me);
      await assertRefused(logIn(), "403 M_FORBIDDEN");
    });

    describe("cross-signing keys", () => {
      /** @returns the keys, and whether they were uploaded without a password. */
      const uploadKeys = async ({ userId, deviceId, token, ...account }: SignedInUser) => {
        const { baseUrl } = server;
        const owned = new HomeserverClient({ baseUrl, accessToken: token, userId, deviceId });
        let isFree = true;
        const { keys } = await owned.bootstrapCrossSigning({
          authUploadDeviceSigningKeys: async (makeRequest) => {
            try {
              await makeRequest(null);
            } catch (error) {
              isFree = false;
              const { data } = error as { data: { session: string } };
              await makeRequest(passwordAuth(data.session, account));
            }
          },
        });
        return { keys, isFree };
      };

      it("of the library are accepted: the first without a password, new ones with it", async () => {
        const first = await uploadKeys(me);
        const second = await uploadKeys(me);
        assert.deepEqual([first.isFree, second.isFree], [true, false]);
        assert.notDeepEqual(first.keys.master_key.keys, second.keys.master_key.keys);
        const query = { device_keys: { [me.userId]: [] } };
        const { body } = await me.api("POST", "v3/keys/query", query);
        const { keys } = (body["master_keys"] as Record<string, { keys: object }>)[me.userId] ?? {};
        assert.deepEqual(keys, second.keys.master_key.keys);
        assert.deepEqual(body["device_keys"], { [me.userId]: {} });
      });

      it("need no password when they are the same", async () => {
        const { keys } = await uploadKeys(me);
        assert.equal((await me.api(...UPLOAD_KEYS, keys)).status, 200);
      });

      it("can be missing, at the stable and the unstable path", async () => {
        for (const version of ["v3", "unstable"]) {
          const path = `${version}/keys/device_signing/upload`;
          assert.equal((await me.api("POST", path, {})).status, 200);
        }
      });

      it("are rejected when they are another user's, or not signed by the master key", async () => {
        const { keys } = await uploadKeys(me);
        const other = await createSignedInUser(server);
        const { master_key } = keys;
        const stolen = other.api(...UPLOAD_KEYS, { master_key });
        await assertRefused(stolen, "400 M_INVALID_PARAM");
        const text = JSON.stringify(keys).replaceAll(me.userId, other.userId);
        const theirs = JSON.parse(text) as typeof keys;
        const self_signing_key = { ...theirs.self_signing_key, signatures: {} };
        const unsigned = other.api(...UPLOAD_KEYS, { ...theirs, self_signing_key });
        await assertRefused(unsigned, "400 M_INVALID_SIGNATURE");
      });
    });
  });
}
