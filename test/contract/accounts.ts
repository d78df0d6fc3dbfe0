import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { HomeserverClient, discoverHomeserver } from "matrix-auth-elements/core";
import {
  DUMMY,
  apiClient,
  passwordAuth,
  passwordLogin,
  refusal,
  signIn,
  createSignedInUser,
  within,
  type ApiClient,
  type SignedInUser,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

/** What each of them needs, and what is done with an account that is signed in. */
export function accountsContract(kind: Kind): void {
  within(kind, "as it is installed", (given) => {
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

    describe("discovery", () => {
      it("leads from the server's name to the base of the API", async () => {
        const { baseUrl } = await discoverHomeserver(server.baseUrl);
        assert.equal(baseUrl.replace(/\/$/, ""), server.baseUrl);
      });

      it("has a well-known file that any page may read", async () => {
        const response = await fetch(`${server.baseUrl}/.well-known/matrix/client`);
        const body = (await response.json()) as Record<string, { base_url: string }>;
        assert.equal(body["m.homeserver"]?.base_url, `${server.baseUrl}/`);
        assert.equal(response.headers.get("Access-Control-Allow-Origin"), "*");
      });

      it("announces versions up to v1.12, and nothing after", async () => {
        const { body } = await anonymous("GET", "versions");
        const versions = body["versions"] as string[];
        assert.deepEqual(versions.slice(0, 1), ["r0.0.1"]);
        assert.deepEqual(versions.slice(-2), ["v1.11", "v1.12"]);
      });

      for (const path of [
        "v1/auth_metadata",
        "unstable/org.matrix.msc2965/auth_metadata",
        "unstable/org.matrix.msc2965/auth_issuer",
      ]) {
        it(`answers ${path} as unrecognized, where it signs people in by itself`, async () => {
          assert.deepEqual(refusal(await anonymous("GET", path)), [404, "M_UNRECOGNIZED", false]);
        });
      }

      it("lists the ways of signing in, a password among them", async () => {
        const { body } = await anonymous("GET", "v3/login");
        const flows = body.flows as unknown as { type: string }[];
        assert.ok(flows.some(({ type }) => type === "m.login.password"));
      });
    });

    describe("every answer", () => {
      const HEADERS = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "X-Requested-With, Content-Type, Authorization, Date",
        // A page of another origin cannot read Retry-After.
        "Access-Control-Expose-Headers": "Synapse-Trace-Id, Server",
      };
      const answers: readonly (readonly [what: string, ask: () => Promise<Response>])[] = [
        ["a good one", () => fetch(`${server.baseUrl}/_matrix/client/versions`)],
        ["an error", () => fetch(`${server.baseUrl}/_matrix/client/v3/account/whoami`)],
        ["what does not exist", () => fetch(`${server.baseUrl}/_matrix/client/v3/nothing`)],
        ["a preflight", () => preflight("v3/devices/ONE")],
        ["a preflight of what does not exist", () => preflight("v3/nothing")],
      ];
      const preflight = (path: string): Promise<Response> =>
        fetch(`${server.baseUrl}/_matrix/client/${path}`, {
          method: "OPTIONS",
          headers: { Origin: "https://app.example", "Access-Control-Request-Method": "DELETE" },
        });

      for (const [what, ask] of answers) {
        it(`may be read by a page of any origin: ${what}`, async () => {
          const { headers } = await ask();
          for (const [name, value] of Object.entries(HEADERS)) {
            assert.equal(headers.get(name), value, name);
          }
        });
      }

      it("is 204 for a preflight", async () => {
        assert.equal((await preflight("v3/login")).status, 204);
      });

      it("is JSON and kept by no cache, errors too", async () => {
        for (const path of ["versions", "v3/nothing", "v3/account/whoami"]) {
          const { headers } = await anonymous("GET", path);
          assert.match(headers.get("Content-Type") ?? "", /^application\/json/);
          if (path === "versions") continue;
          assert.equal(headers.get("Cache-Control"), "no-cache, no-store, must-revalidate");
        }
      });

      it("says 404 where there is no such path, 405 where there is no such method", async () => {
        const where = await anonymous("GET", "v3/nothing");
        assert.deepEqual(refusal(where), [404, "M_UNRECOGNIZED", false]);
        const how = await anonymous("PUT", "v3/login", {});
        assert.deepEqual(refusal(how), [405, "M_UNRECOGNIZED", false]);
      });

      for (const [what, body, errcode] of [
        ["what is no JSON", "{", "M_NOT_JSON"],
        ["what is no object", [], "M_BAD_JSON"],
      ] as const) {
        it(`refuses ${what} with 400 ${errcode}`, async () => {
          const answer = await anonymous("POST", "v3/login", body);
          assert.deepEqual(refusal(answer), [400, errcode, false]);
        });
      }
    });

    describe("signing in", () => {
      it("gives a token, a device, and where the homeserver is", async () => {
        const { status, body } = await anonymous("POST", "v3/login", passwordLogin(me));
        assert.equal(status, 200);
        assert.equal(body["user_id"], me.userId);
        assert.match(String(body["device_id"]), /^[A-Z]{10}$/);
        assert.equal(body["home_server"], server.serverName);
        assert.deepEqual(body["well_known"], {
          "m.homeserver": { base_url: `${server.baseUrl}/` },
        });
      });

      it("takes the whole user id, and a name in other letters", async () => {
        for (const user of [me.userId, me.user.toUpperCase()]) {
          const answer = await anonymous("POST", "v3/login", passwordLogin({ ...me, user }));
          assert.equal(answer.body["user_id"], me.userId);
        }
      });

      for (const [what, change, expected] of [
        ["a wrong password", { password: "wrong" }, [403, "M_FORBIDDEN"]],
        [
          "an unknown name",
          { identifier: { type: "m.id.user", user: "unknown-name" } },
          [403, "M_FORBIDDEN"],
        ],
        [
          "a user of another server",
          { identifier: { type: "m.id.user", user: "@a:elsewhere.example" } },
          [403, "M_FORBIDDEN"],
        ],
        [
          "an address that nobody has",
          {
            identifier: { type: "m.id.thirdparty", medium: "email", address: "no@hs.example" },
          },
          [403, "M_FORBIDDEN"],
        ],
        ["an unknown way", { type: "org.example.odd" }, [400, "M_UNKNOWN"]],
        ["no way", { type: undefined }, [400, "M_UNKNOWN"]],
        ["no password", { password: undefined }, [400, "M_INVALID_PARAM"]],
        ["no identifier", { identifier: undefined }, [400, "M_INVALID_PARAM"]],
        ["an identifier of an unknown kind", { identifier: { type: "m.odd" } }, [400, "M_UNKNOWN"]],
      ] as const) {
        it(`refuses ${what} with ${expected.join(" ")}`, async () => {
          const answer = await anonymous("POST", "v3/login", { ...passwordLogin(me), ...change });
          assert.deepEqual(refusal(answer), [...expected, false]);
        });
      }

      it("ends with signing out: the token is not known any more", async () => {
        await client.logout();
        const answer = await me.api("GET", "v3/account/whoami");
        assert.deepEqual(refusal(answer), [401, "M_UNKNOWN_TOKEN", false]);
        assert.equal(answer.body["soft_logout"], false);
      });
    });

    describe("who is asking", () => {
      it("is told", async () => {
        assert.deepEqual(await client.whoami(), {
          user_id: me.userId,
          device_id: me.deviceId,
          is_guest: false,
        });
      });

      it("is 401 M_MISSING_TOKEN without a token, or with another kind of it", async () => {
        const without = await anonymous("GET", "v3/account/whoami");
        assert.deepEqual(refusal(without), [401, "M_MISSING_TOKEN", false]);
        const url = `${server.baseUrl}/_matrix/client/v3/account/whoami`;
        const basic = await fetch(url, { headers: { Authorization: "Basic abc" } });
        assert.equal(((await basic.json()) as { errcode: string }).errcode, "M_MISSING_TOKEN");
      });

      it("is 401 M_UNKNOWN_TOKEN with a token that is none, and no flows", async () => {
        for (const [method, path] of [
          ["GET", "v3/account/whoami"],
          ["DELETE", "v3/devices/OTHER"],
        ] as const) {
          const answer = await apiClient(server, "no-token")(method, path);
          assert.deepEqual(refusal(answer), [401, "M_UNKNOWN_TOKEN", false]);
        }
      });
    });

    describe("devices", () => {
      it("are listed, with when and where they were seen, if ever", async () => {
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

      it("can be renamed, to a name of some length", async () => {
        assert.equal(
          (await me.api("PUT", "v3/devices/HERE", { display_name: "Mine" })).status,
          200,
        );
        assert.equal((await me.api("GET", "v3/devices/HERE")).body["display_name"], "Mine");
        const long = { display_name: "x".repeat(101) };
        const answer = await me.api("PUT", "v3/devices/HERE", long);
        assert.deepEqual(refusal(answer), [400, "M_TOO_LARGE", false]);
      });

      it("are 404 M_NOT_FOUND where there is none", async () => {
        for (const [method, body] of [
          ["GET", undefined] as const,
          ["PUT", { display_name: "Mine" }] as const,
        ]) {
          const answer = await me.api(method, "v3/devices/NONE", body);
          assert.deepEqual(refusal(answer), [404, "M_NOT_FOUND", false]);
        }
      });

      it("lose their token with the proof of a password; one that is not there too", async () => {
        const other = await signIn(server, me, "OTHER");
        for (const id of ["OTHER", "NEVER"]) {
          await client.deleteDevice(id, passwordAuth(undefined, me));
        }
        const answer = await other.api("GET", "v3/account/whoami");
        assert.deepEqual(refusal(answer), [401, "M_UNKNOWN_TOKEN", false]);
      });

      it("lose their tokens when several are deleted at once, and no other does", async () => {
        const others = [await signIn(server, me, "ONE"), await signIn(server, me, "TWO")];
        await client.deleteMultipleDevices(["ONE", "TWO"], passwordAuth(undefined, me));
        for (const { api } of others) {
          assert.equal((await api("GET", "v3/account/whoami")).status, 401);
        }
        const { devices } = await client.getDevices();
        assert.deepEqual(
          devices.map(({ device_id }) => device_id),
          ["HERE"],
        );
      });

      for (const [what, body, errcode] of [
        ["no list", {}, "M_MISSING_PARAM"],
        ["a list that is none", { devices: "X" }, "M_BAD_JSON"],
        ["a list of what are no devices", { devices: [1] }, "M_BAD_JSON"],
      ] as const) {
        it(`are refused with ${errcode} before anything is asked: ${what}`, async () => {
          const answer = await me.api("POST", "v3/delete_devices", body);
          assert.deepEqual(refusal(answer), [400, errcode, false]);
        });
      }
    });

    describe("proving again who one is", () => {
      const path = "v3/devices/OTHER";
      const begin = async (): Promise<string> => (await me.api("DELETE", path)).body.session ?? "";

      for (const body of [undefined, {}, { auth: {} }]) {
        it(`begins with 401, flows, params and a session: ${JSON.stringify(body)}`, async () => {
          const { status, body: asked } = await me.api("DELETE", path, body);
          assert.equal(status, 401);
          assert.match(asked.session ?? "", /^[a-zA-Z]{24}$/);
          const rest = { ...asked, session: undefined };
          assert.deepEqual(rest, {
            flows: [{ stages: ["m.login.password"] }],
            params: {},
            session: undefined,
          });
        });
      }

      it("succeeds with the right password and the session", async () => {
        const auth = passwordAuth(await begin(), me);
        assert.equal((await me.api("DELETE", path, { auth })).status, 200);
      });

      it("takes the whole user id, and a name in other letters", async () => {
        for (const user of [me.userId, me.user.toUpperCase()]) {
          const auth = passwordAuth(await begin(), { ...me, user });
          assert.equal((await me.api("DELETE", path, { auth })).status, 200);
        }
      });

      it("says what was wrong, and that nothing is completed, after a wrong password", async () => {
        const session = await begin();
        const auth = passwordAuth(session, { ...me, password: "wrong" });
        const { status, body } = await me.api("DELETE", path, { auth });
        assert.equal(status, 401);
        assert.equal(body.errcode, "M_FORBIDDEN");
        assert.equal(typeof body["error"], "string");
        assert.deepEqual(body.completed, []);
        assert.equal(body.session, session);
        assert.deepEqual(body.flows, [{ stages: ["m.login.password"] }]);
      });

      it("begins a session with the first try, where none was given", async () => {
        const auth = passwordAuth(undefined, { ...me, password: "wrong" });
        const { body } = await me.api("DELETE", path, { auth });
        assert.match(body.session ?? "", /^[a-zA-Z]{24}$/);
        assert.equal(body.errcode, "M_FORBIDDEN");
      });

      it("says what is missing where the session alone is given", async () => {
        const { status, body } = await me.api("DELETE", path, { auth: { session: await begin() } });
        assert.deepEqual([status, body.errcode, body.completed], [401, undefined, []]);
      });

      for (const [what, identifier] of [
        ["an unknown name", { type: "m.id.user", user: "unknown-name" }],
        ["a user of another server", { type: "m.id.user", user: "@a:elsewhere.example" }],
        [
          "an address that nobody has",
          { type: "m.id.thirdparty", medium: "email", address: "no@hs.example" },
        ],
      ] as const) {
        it(`asks again after ${what}`, async () => {
          const auth = { ...passwordAuth(await begin(), me), identifier };
          const answer = await me.api("DELETE", path, { auth });
          assert.deepEqual(refusal(answer), [401, "M_FORBIDDEN", true]);
        });
      }

      it("ends with 403 after somebody else's right password; theirs stays the session's", async () => {
        const session = await begin();
        const other = await createSignedInUser(server);
        const auth = passwordAuth(session, other);
        const refused = await me.api("DELETE", path, { auth });
        assert.deepEqual(refusal(refused), [403, "M_FORBIDDEN", false]);
        const again = await me.api("DELETE", path, { auth: { session } });
        assert.deepEqual(refusal(again), [403, "M_FORBIDDEN", false]);
        const own = await me.api("DELETE", path, { auth: passwordAuth(session, me) });
        assert.equal(own.status, 200);
      });

      for (const [what, change, expected] of [
        ["no password", { password: undefined }, [400, "M_INVALID_PARAM"]],
        ["no identifier", { identifier: undefined }, [400, "M_INVALID_PARAM"]],
        ["a stage that is not known", { type: "org.example.odd" }, [400, "M_UNKNOWN"]],
        [
          "a stage that is not known, with no identifier",
          { type: "org.example.odd", identifier: undefined },
          [400, "M_INVALID_PARAM"],
        ],
        [
          "a session that is not known",
          { session: "abcdefabcdefabcdefabcdef" },
          [400, "M_UNKNOWN"],
        ],
        ["a session that is no text", { session: 1 }, [400, "M_BAD_JSON"]],
        ["a type that is no text", { type: 1 }, [400, "M_BAD_JSON"]],
      ] as const) {
        it(`is refused with ${expected.join(" ")}, and no flows: ${what}`, async () => {
          const auth = { ...passwordAuth(await begin(), me), ...change };
          assert.deepEqual(refusal(await me.api("DELETE", path, { auth })), [...expected, false]);
        });
      }

      it("is refused where `auth` is no object, and fails where it is null", async () => {
        const text = await me.api("DELETE", path, { auth: "text" });
        assert.deepEqual(refusal(text), [400, "M_BAD_JSON", false]);
        const none = await me.api("DELETE", path, { auth: null });
        assert.deepEqual(refusal(none), [500, "M_UNKNOWN", false]);
      });

      it("completes a stage that no flow asks for, and asks on", async () => {
        const session = await begin();
        const { status, body } = await me.api("DELETE", path, { auth: { type: DUMMY, session } });
        assert.deepEqual([status, body.errcode, body.completed], [401, undefined, [DUMMY]]);
      });

      it("binds a session to its request", async () => {
        const auth = passwordAuth(await begin(), me);
        const answer = await me.api("DELETE", "v3/devices/ANOTHER", { auth });
        assert.deepEqual(refusal(answer), [403, "M_UNKNOWN", false]);
      });

      it("takes a completed session again, for the same request", async () => {
        const session = await begin();
        for (const auth of [passwordAuth(session, me), passwordAuth(session, me), { session }]) {
          assert.equal((await me.api("DELETE", path, { auth })).status, 200);
        }
      });

      for (const [method, protectedPath, request] of [
        ["POST", "v3/delete_devices", { devices: ["X"] }],
        ["POST", "v3/account/password", { new_password: "long-enough", logout_devices: false }],
        ["POST", "v3/account/deactivate", {}],
      ] as const) {
        it(`is asked for by ${method} ${protectedPath}`, async () => {
          const asked = await me.api(method, protectedPath, request);
          assert.deepEqual(refusal(asked), [401, undefined, true]);
          const auth = passwordAuth(asked.body.session, me);
          assert.equal((await me.api(method, protectedPath, { ...request, auth })).status, 200);
        });
      }
    });

    describe("the password", () => {
      it("is changed: the new one is good, the old one is not, other devices are out", async () => {
        const other = await signIn(server, me, "OTHER");
        await client.setPassword(passwordAuth(undefined, me), "a-new-password");
        assert.equal((await other.api("GET", "v3/account/whoami")).status, 401);
        assert.equal((await me.api("GET", "v3/account/whoami")).status, 200);
        const old = await anonymous("POST", "v3/login", passwordLogin(me));
        assert.deepEqual(refusal(old), [403, "M_FORBIDDEN", false]);
        const { status } = await anonymous(
          "POST",
          "v3/login",
          passwordLogin({ ...me, password: "a-new-password" }),
        );
        assert.equal(status, 200);
      });

      it("leaves other devices in where that is asked for", async () => {
        const other = await signIn(server, me, "OTHER");
        await client.setPassword(passwordAuth(undefined, me), "a-new-password", false);
        assert.equal((await other.api("GET", "v3/account/whoami")).status, 200);
      });

      it("is that of the last request", async () => {
        const asked = await me.api("POST", "v3/account/password", { new_password: "first-one" });
        await client.setPassword(passwordAuth(asked.body.session, me), "second-one");
        for (const [password, expected] of [
          ["first-one", 403],
          ["second-one", 200],
        ] as const) {
          const { status } = await anonymous(
            "POST",
            "v3/login",
            passwordLogin({ ...me, password }),
          );
          assert.equal(status, expected);
        }
      });

      it("fails where the last request leaves out the rest of the body", async () => {
        const asked = await me.api("POST", "v3/account/password", { new_password: "long-enough" });
        const auth = passwordAuth(asked.body.session, me);
        assert.equal((await me.api("POST", "v3/account/password", { auth })).status, 500);
      });

      for (const new_password of [1, "x".repeat(513)]) {
        it(`is refused before anything is asked: ${typeof new_password}`, async () => {
          const answer = await me.api("POST", "v3/account/password", { new_password });
          assert.deepEqual(refusal(answer), [400, "M_BAD_JSON", false]);
        });
      }
    });

    describe("an account", () => {
      it("is deactivated: its token, its password and its name are gone", async () => {
        const answer = await client.deactivateAccount(passwordAuth(undefined, me), true);
        assert.equal(answer["id_server_unbind_result"], "success");
        const { body } = await me.api("GET", "v3/account/whoami");
        assert.equal(body.errcode, "M_UNKNOWN_TOKEN");
        const login = await anonymous("POST", "v3/login", passwordLogin(me));
        assert.deepEqual(refusal(login), [403, "M_FORBIDDEN", false]);
      });

      it("is asked whether to erase in a word that is yes or no", async () => {
        const answer = await me.api("POST", "v3/account/deactivate", { erase: "maybe" });
        assert.deepEqual(refusal(answer), [400, "M_BAD_JSON", false]);
      });
    });

    describe("cross-signing keys", () => {
      const keysOf = async (owner: SignedInUser, asked: unknown[] = []) => {
        const { baseUrl } = server;
        const { userId, deviceId, token: accessToken } = owner;
        const owned = new HomeserverClient({ baseUrl, accessToken, userId, deviceId });
        return owned.bootstrapCrossSigning({
          authUploadDeviceSigningKeys: async (makeRequest) => {
            try {
              await makeRequest(null);
              asked.push("nothing");
            } catch (error) {
              const { data } = error as { data: { session: string } };
              asked.push("a password");
              await makeRequest(passwordAuth(data.session, owner));
            }
          },
        });
      };

      it("of the library are well signed, need no proof at first, and one to be replaced", async () => {
        const asked: unknown[] = [];
        const first = await keysOf(me, asked);
        const second = await keysOf(me, asked);
        assert.deepEqual(asked, ["nothing", "a password"]);
        assert.notDeepEqual(first.keys.master_key.keys, second.keys.master_key.keys);
        const { body } = await me.api("POST", "v3/keys/query", {
          device_keys: { [me.userId]: [] },
        });
        const { keys } = (body["master_keys"] as Record<string, { keys: object }>)[me.userId] ?? {};
        assert.deepEqual(keys, second.keys.master_key.keys);
        assert.deepEqual(body["device_keys"], { [me.userId]: {} });
      });

      it("need no proof where they are the same", async () => {
        const { keys } = await keysOf(me);
        assert.equal((await me.api("POST", "v3/keys/device_signing/upload", keys)).status, 200);
      });

      it("may be none", async () => {
        for (const version of ["v3", "unstable"]) {
          const path = `${version}/keys/device_signing/upload`;
          assert.equal((await me.api("POST", path, {})).status, 200);
        }
      });

      it("are refused where they are another's, or not signed by the master", async () => {
        const { keys } = await keysOf(me);
        const other = await createSignedInUser(server);
        const upload = (body: object) => other.api("POST", "v3/keys/device_signing/upload", body);
        assert.deepEqual(refusal(await upload({ master_key: keys.master_key })), [
          400,
          "M_INVALID_PARAM",
          false,
        ]);
        const theirs = JSON.parse(
          JSON.stringify(keys).replaceAll(me.userId, other.userId),
        ) as typeof keys;
        const unsigned = { ...theirs.self_signing_key, signatures: {} };
        assert.deepEqual(refusal(await upload({ ...theirs, self_signing_key: unsigned })), [
          400,
          "M_INVALID_SIGNATURE",
          false,
        ]);
      });

      it("need a token", async () => {
        const answer = await anonymous("POST", "v3/keys/device_signing/upload", {});
        assert.deepEqual(refusal(answer), [401, "M_MISSING_TOKEN", false]);
      });
    });

    it("has no address of anybody, unless it was added", async () => {
      assert.deepEqual((await client.getThreePids()).threepids, []);
    });
  });
}
