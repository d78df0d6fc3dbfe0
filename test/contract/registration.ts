import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { HomeserverClient } from "matrix-auth-elements/core";
import {
  CAPTCHA,
  DUMMY,
  EMAIL,
  PHONE,
  TERMS,
  TOKEN,
  apiClient,
  freshName,
  passwordLogin,
  assertRefused,
  assertChallenged,
  createSignedInUser,
  within,
  type ApiClient,
  refuses,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

/** Registration with each stage. */
export function registrationContract(kind: Kind): void {
  let server: HomeserverUnderTest;
  let anonymous: ApiClient;
  let wanted: { username: string; password: string };

  const prepare = (given: () => HomeserverUnderTest): void => {
    beforeEach(() => {
      server = given();
      anonymous = apiClient(server);
      wanted = { username: freshName(), password: "a-long-password" };
    });
  };
  const register = (auth?: object, more: object = {}) =>
    anonymous("POST", "v3/register", { ...wanted, ...(auth && { auth }), ...more });
  const begin = async (): Promise<string> => (await register()).body.session ?? "";

  within(kind, "open to all", (given, it) => {
    prepare(given);

    it("requires only a dummy stage", async () => {
      const { status, body } = await register();
      assert.equal(status, 401);
      assert.deepEqual(body.flows?.[0], { stages: [DUMMY] });
      assert.deepEqual([body.params, body.completed], [{}, undefined]);
      assert.match(body.session ?? "", /^[a-zA-Z]{24}$/);
    });

    it("creates an account with the device that was requested", async () => {
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const auth = { type: DUMMY, session };
      const made = await client.register({ ...wanted, device_id: "MINE", auth });
      assert.equal(made.user_id, `@${wanted.username}:${server.serverName}`);
      assert.equal(made.device_id, "MINE");
      assert.equal(made["home_server"], server.serverName);
      const { body } = await apiClient(server, made.access_token)("GET", "v3/account/whoami");
      assert.equal(body["device_id"], "MINE");
    });

    it("returns no token when `inhibit_login` is set", async () => {
      const { body } = await register({ type: DUMMY }, { inhibit_login: true });
      assert.deepEqual(Object.keys(body).sort(), ["home_server", "user_id"]);
    });

    it("remembers the body for a request with only the session", async () => {
      const session = await begin();
      const { body } = await anonymous("POST", "v3/register", { auth: { session } });
      assert.deepEqual(body.completed, []);
      const made = await anonymous("POST", "v3/register", { auth: { type: DUMMY, session } });
      assert.equal(made.body["user_id"], `@${wanted.username}:${server.serverName}`);
    });

    it("creates a second device, but no second account, when the last request is sent twice", async () => {
      const auth = { type: DUMMY, session: await begin() };
      const [first, second] = [await register(auth), await register(auth)];
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.equal(first.body["user_id"], second.body["user_id"]);
      assert.notEqual(first.body.access_token, second.body.access_token);
      assert.notEqual(first.body["device_id"], second.body["device_id"]);
    });

    it("requires a password only after the stages", async () => {
      const { username } = wanted;
      await assertChallenged(anonymous("POST", "v3/register", { username }));
      await assertRefused(
        anonymous("POST", "v3/register", { username, auth: { type: DUMMY } }),
        "400 M_MISSING_PARAM",
      );
    });

    it("chooses a name when none is given, and writes names in lower case", async () => {
      const { password } = wanted;
      const chosen = await anonymous("POST", "v3/register", { password, auth: { type: DUMMY } });
      assert.match(String(chosen.body["user_id"]), /^@.+:/);
      const username = wanted.username.toUpperCase();
      const { body } = await register({ type: DUMMY }, { username });
      assert.equal(body["user_id"], `@${wanted.username}:${server.serverName}`);
    });

    it("rejects a taken name before any stage", async () => {
      const { user } = await createSignedInUser(server);
      await assertRefused(register(undefined, { username: user }), "400 M_USER_IN_USE");
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      assert.equal(await client.isUsernameAvailable(user), false);
      assert.equal(await client.isUsernameAvailable(wanted.username), true);
    });

    for (const username of ["not a name", "_bridge", "12345", "", "x".repeat(256)]) {
      it(`rejects an invalid name before any stage: ${username.slice(0, 12)}`, async () => {
        await assertRefused(register(undefined, { username }), "400 M_INVALID_USERNAME");
        const query = new URLSearchParams({ username }).toString();
        await assertRefused(
          anonymous("GET", `v3/register/available?${query}`),
          "400 M_INVALID_USERNAME",
        );
      });
    }

    for (const [what, more, expected] of [
      ["a name that is a number", { username: 1 }, "400 M_UNKNOWN"],
      ["a password that is a number", { password: 1 }, "400 M_UNKNOWN"],
      ["a short password", { password: "short" }, "400 M_PASSWORD_TOO_SHORT"],
    ] as const) {
      it(`rejects ${what} with ${expected} before any stage`, () =>
        assertRefused(register(undefined, more), expected));
    }

    refuses(it, () => anonymous, [
      [
        "a name in capitals as not available",
        ["GET", "v3/register/available?username=UPPER"],
        "400 M_INVALID_USERNAME",
      ],
      ["an availability without a name", ["GET", "v3/register/available"], "400 M_MISSING_PARAM"],
      [
        "a validity without a token",
        ["GET", "v1/register/m.login.registration_token/validity"],
        "400 M_MISSING_PARAM",
      ],
      ["another kind", ["POST", "v3/register?kind=odd", {}], "400 M_UNRECOGNIZED"],
      ["a guest", ["POST", "v3/register?kind=guest", {}], "403 M_UNKNOWN"],
    ]);
  });

  within(kind, "behind every gate", (given, it) => {
    prepare(given);

    it("requires a token, a captcha, terms, and a dummy or an email address", async () => {
      const { body } = await register();
      const flows = body.flows?.map(({ stages }) => stages.join(" ")) ?? [];
      for (const last of [DUMMY, EMAIL]) {
        assert.ok(flows.includes([TOKEN, CAPTCHA, TERMS, last].join(" ")), last);
      }
    });

    it("sends the captcha's key, and policies with existing pages", async () => {
      const { params } = (await register()).body;
      assert.ok((params?.[CAPTCHA] as { public_key: string }).public_key);
      const { policies } = params?.[TERMS] as {
        policies: Record<string, { version: string; en: { name: string; url: string } }>;
      };
      for (const { version, en } of Object.values(policies)) {
        assert.ok(version && en.name);
        assert.equal((await fetch(en.url)).status, 200);
      }
    });

    it("creates an account when all stages are completed, in any order", async () => {
      const session = await begin();
      for (const auth of [
        { type: DUMMY },
        { type: TERMS },
        { type: TOKEN, token: server.registrationToken },
      ]) {
        const { status, body } = await register({ ...auth, session });
        assert.deepEqual([status, body.errcode, body.session], [401, undefined, session]);
        assert.ok(body.completed?.includes(auth.type));
        assert.ok(body.flows && body.params);
      }
      const last = await register({ type: CAPTCHA, response: server.captcha, session });
      assert.equal(last.body["user_id"], `@${wanted.username}:${server.serverName}`);
    });

    it("lists the completed stages in its own order", async () => {
      const session = await begin();
      await register({ type: TOKEN, session, token: server.registrationToken });
      const { body } = await register({ type: CAPTCHA, session, response: server.captcha });
      assert.deepEqual(new Set(body.completed), new Set([TOKEN, CAPTCHA]));
      assert.notDeepEqual(body.completed, [TOKEN, CAPTCHA]);
    });

    for (const [what, auth, errcode] of [
      ["no token", { type: TOKEN }, "M_MISSING_PARAM"],
      ["a wrong token", { type: TOKEN, token: "wrong" }, "M_UNAUTHORIZED"],
      ["a token that is not a string", { type: TOKEN, token: 1 }, "M_INVALID_PARAM"],
      ["no captcha", { type: CAPTCHA }, "M_CAPTCHA_NEEDED"],
      ["a wrong captcha", { type: CAPTCHA, response: "wrong" }, "M_UNAUTHORIZED"],
      ["no proof of an address", { type: EMAIL }, "M_MISSING_PARAM"],
      [
        "a wrong proof of an address",
        { type: EMAIL, threepid_creds: { sid: "x", client_secret: "y" } },
        "M_UNAUTHORIZED",
      ],
      ["no proof of a phone", { type: PHONE }, "M_MISSING_PARAM"],
      ["a password", passwordLogin({ user: "unknown-name", password: "x" }), "M_FORBIDDEN"],
    ] as const) {
      it(`requires the stage again after ${what} with ${errcode}, and completes nothing`, async () => {
        const session = await begin();
        const body = await assertChallenged(register({ ...auth, session }), errcode);
        assert.deepEqual([body.session, body.completed], [session, []]);
      });
    }

    it("reports an error once, and keeps the completed stages", async () => {
      const session = await begin();
      await register({ type: TERMS, session });
      const wrong = await register({ type: TOKEN, token: "wrong", session });
      assert.deepEqual([wrong.body.errcode, wrong.body.completed], ["M_UNAUTHORIZED", [TERMS]]);
      const polled = await register({ session });
      assert.deepEqual([polled.body.errcode, polled.body.completed], [undefined, [TERMS]]);
    });

    it("fails when the credentials of an address are incomplete", async () => {
      const auth = { type: EMAIL, threepid_creds: { sid: "x" }, session: await begin() };
      await assertRefused(register(auth), "500 M_UNKNOWN");
    });

    it("rejects an unknown stage with 400 M_INVALID_PARAM", async () => {
      await assertRefused(
        register({ type: "org.example.odd", session: await begin() }),
        "400 M_INVALID_PARAM",
      );
    });

    it("reports in advance whether a token is valid", async () => {
      for (const [token, valid] of [
        [server.registrationToken, true],
        ["wrong", false],
      ] as const) {
        const query = new URLSearchParams({ token }).toString();
        const path = `v1/register/m.login.registration_token/validity?${query}`;
        assert.deepEqual((await anonymous("GET", path)).body, { valid });
      }
    });

    describe("a page for a stage", () => {
      const pageOf = (type: string, session: string): string =>
        `${server.baseUrl}/_matrix/client/v3/auth/${type}/fallback/web?session=${session}`;
      const submit = (type: string, session: string, fields: Record<string, string> = {}) =>
        fetch(pageOf(type, session), {
          method: "POST",
          body: new URLSearchParams({ session, ...fields }),
        });
      const fieldsOf = (): Record<string, Record<string, string>> => ({
        [TERMS]: {},
        [CAPTCHA]: { "g-recaptcha-response": server.captcha },
        [TOKEN]: { token: server.registrationToken },
      });

      for (const type of [TERMS, CAPTCHA, TOKEN]) {
        it(`completes ${type} on its page, which notifies its opener and allows no frames`, async () => {
          const session = await begin();
          const opened = await fetch(pageOf(type, session));
          const done = await submit(type, session, fieldsOf()[type]);
          const text = await done.text();
          for (const { status, headers } of [opened, done]) {
            assert.equal(status, 200);
            assert.match(headers.get("Content-Type") ?? "", /^text\/html/);
            assert.equal(headers.get("X-Frame-Options"), "DENY");
            assert.match(headers.get("Content-Security-Policy") ?? "", /frame-ancestors 'none'/);
            assert.equal(headers.get("Cross-Origin-Opener-Policy"), null);
          }
          assert.match(text, /onAuthDone/);
          assert.match(text, /opener\.postMessage\(\s*"authDone",\s*"\*"\)/);
          const { body } = await register({ session });
          assert.deepEqual(body.completed, [type]);
        });
      }

      for (const [type, fields] of [
        [CAPTCHA, { "g-recaptcha-response": "wrong" }],
        [TOKEN, { token: "wrong" }],
      ] as const) {
        it(`shows the page again, without notifying its opener, after an invalid ${type}`, async () => {
          const session = await begin();
          const response = await submit(type, session, fields);
          assert.equal(response.status, 200);
          assert.doesNotMatch(await response.text(), /authDone/);
          assert.deepEqual((await register({ session })).body.completed, []);
        });
      }

      it("creates an account after the other stages have been completed on their pages", async () => {
        const session = await begin();
        for (const type of [TOKEN, CAPTCHA, TERMS]) await submit(type, session, fieldsOf()[type]);
        const { status } = await register({ type: DUMMY, session });
        assert.equal(status, 200);
      });

      it("has no page for the client's own stages", async () => {
        const session = await begin();
        for (const type of ["m.login.password", EMAIL, PHONE, DUMMY]) {
          const response = await fetch(pageOf(type, session));
          const { errcode } = (await response.json()) as { errcode: string };
          assert.deepEqual([response.status, errcode], [404, "M_UNKNOWN"]);
        }
      });

      it("rejects a request for its page without a session", async () => {
        const response = await fetch(
          `${server.baseUrl}/_matrix/client/v3/auth/${TERMS}/fallback/web`,
        );
        assert.equal(response.status, 400);
      });
    });
  });

  within(kind, "for a user with an email address", (given, it) => {
    prepare(given);

    it("creates an account with the validated address only when its credentials are sent", async () => {
      const address = `${wanted.username}@hs.example`;
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const { sid } = await client.requestRegisterEmailToken(address, "secret", 1);
      const auth = { type: EMAIL, session, threepid_creds: { sid, client_secret: "secret" } };
      await assertChallenged(register(auth), "M_UNAUTHORIZED");
      const link = await fetch(await server.linkFor(address));
      assert.equal(link.status, 200);
      assert.equal(link.headers.get("Cross-Origin-Opener-Policy"), null);
      assert.equal((await register({ session })).status, 401);
      const made = await register(auth);
      assert.equal(made.status, 200);
      const { body } = await apiClient(server, made.body.access_token)("GET", "v3/account/3pid");
      assert.equal((body["threepids"] as { address: string }[])[0]?.address, address);

      const asked = { client_secret: "other", email: address, send_attempt: 1 };
      await assertRefused(
        anonymous("POST", "v3/register/email/requestToken", asked),
        "400 M_THREEPID_IN_USE",
      );
    });

    it("rejects an address's credentials with the wrong secret", async () => {
      const address = `${wanted.username}@hs.example`;
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const { sid } = await client.requestRegisterEmailToken(address, "secret", 1);
      await fetch(await server.linkFor(address));
      const threepid_creds = { sid, client_secret: "other" };
      await assertChallenged(register({ type: EMAIL, session, threepid_creds }), "M_UNAUTHORIZED");
    });
  });

  within(kind, "for a user with a phone", (given, it) => {
    prepare(given);

    it("creates an account when the code of the text message was submitted", async () => {
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const number = "07700 900501";
      const { sid, submit_url } = await client.requestRegisterMsisdnToken("GB", number, "s", 1);
      const auth = { type: PHONE, session, threepid_creds: { sid, client_secret: "s" } };
      await assertChallenged(register(auth), "M_UNAUTHORIZED");
      await client.submitMsisdnTokenOtherUrl(submit_url ?? "", sid, "s", server.lastCode());
      assert.equal((await register(auth)).status, 200);
    });
  });
}
