import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
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
  refusal,
  createSignedInUser,
  within,
  type ApiClient,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

/** Making an account, through each stage. */
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

  within(kind, "open to all", (given) => {
    prepare(given);

    it("asks for nothing but a dummy", async () => {
      const { status, body } = await register();
      assert.equal(status, 401);
      assert.deepEqual(body.flows?.[0], { stages: [DUMMY] });
      assert.deepEqual([body.params, body.completed], [{}, undefined]);
      assert.match(body.session ?? "", /^[a-zA-Z]{24}$/);
    });

    it("makes an account, with the device that was asked for", async () => {
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

    it("gives no token where none is wanted", async () => {
      const { body } = await register({ type: DUMMY }, { inhibit_login: true });
      assert.deepEqual(Object.keys(body).sort(), ["home_server", "user_id"]);
    });

    it("remembers the body, for a request with the session alone", async () => {
      const session = await begin();
      const { body } = await anonymous("POST", "v3/register", { auth: { session } });
      assert.deepEqual(body.completed, []);
      const made = await anonymous("POST", "v3/register", { auth: { type: DUMMY, session } });
      assert.equal(made.body["user_id"], `@${wanted.username}:${server.serverName}`);
    });

    it("makes a second device, and no second account, of the last request sent twice", async () => {
      const auth = { type: DUMMY, session: await begin() };
      const [first, second] = [await register(auth), await register(auth)];
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.equal(first.body["user_id"], second.body["user_id"]);
      assert.notEqual(first.body.access_token, second.body.access_token);
      assert.notEqual(first.body["device_id"], second.body["device_id"]);
    });

    it("asks for a password only after the stages", async () => {
      const { username } = wanted;
      const asked = await anonymous("POST", "v3/register", { username });
      assert.deepEqual(refusal(asked), [401, undefined, true]);
      const answer = await anonymous("POST", "v3/register", { username, auth: { type: DUMMY } });
      assert.deepEqual(refusal(answer), [400, "M_MISSING_PARAM", false]);
    });

    it("chooses a name where none is wanted, and writes names in small letters", async () => {
      const { password } = wanted;
      const chosen = await anonymous("POST", "v3/register", { password, auth: { type: DUMMY } });
      assert.match(String(chosen.body["user_id"]), /^@.+:/);
      const username = wanted.username.toUpperCase();
      const { body } = await register({ type: DUMMY }, { username });
      assert.equal(body["user_id"], `@${wanted.username}:${server.serverName}`);
    });

    it("refuses a name that is taken before anything is asked", async () => {
      const { user } = await createSignedInUser(server);
      const answer = await register(undefined, { username: user });
      assert.deepEqual(refusal(answer), [400, "M_USER_IN_USE", false]);
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      assert.equal(await client.isUsernameAvailable(user), false);
      assert.equal(await client.isUsernameAvailable(wanted.username), true);
    });

    for (const username of ["not a name", "_bridge", "12345", "", "x".repeat(256)]) {
      it(`refuses a name that is none before anything is asked: ${username.slice(0, 12)}`, async () => {
        const answer = await register(undefined, { username });
        assert.deepEqual(refusal(answer), [400, "M_INVALID_USERNAME", false]);
        const query = new URLSearchParams({ username }).toString();
        const available = await anonymous("GET", `v3/register/available?${query}`);
        assert.deepEqual(refusal(available), [400, "M_INVALID_USERNAME", false]);
      });
    }

    it("says of a name in capitals that it is not available", async () => {
      const answer = await anonymous("GET", "v3/register/available?username=UPPER");
      assert.deepEqual(refusal(answer), [400, "M_INVALID_USERNAME", false]);
    });

    for (const [what, more, expected] of [
      ["a name that is no text", { username: 1 }, [400, "M_UNKNOWN"]],
      ["a password that is no text", { password: 1 }, [400, "M_UNKNOWN"]],
      ["a short password", { password: "short" }, [400, "M_PASSWORD_TOO_SHORT"]],
    ] as const) {
      it(`refuses ${what} with ${expected.join(" ")}, before anything is asked`, async () => {
        assert.deepEqual(refusal(await register(undefined, more)), [...expected, false]);
      });
    }

    it("knows no guests, and no other kinds", async () => {
      const guest = await anonymous("POST", "v3/register?kind=guest", {});
      assert.equal(guest.status, 403);
      const odd = await anonymous("POST", "v3/register?kind=odd", {});
      assert.deepEqual(refusal(odd), [400, "M_UNRECOGNIZED", false]);
    });

    it("is asked for a name and a token by query, and says where there is none", async () => {
      for (const path of [
        "v3/register/available",
        "v1/register/m.login.registration_token/validity",
      ]) {
        assert.deepEqual(refusal(await anonymous("GET", path)), [400, "M_MISSING_PARAM", false]);
      }
    });
  });

  within(kind, "behind every gate", (given) => {
    prepare(given);

    it("asks for a token, a captcha, terms, and a dummy or a mail address", async () => {
      const { body } = await register();
      const flows = body.flows?.map(({ stages }) => stages.join(" ")) ?? [];
      for (const last of [DUMMY, EMAIL]) {
        assert.ok(flows.includes([TOKEN, CAPTCHA, TERMS, last].join(" ")), last);
      }
    });

    it("sends the captcha's key, and policies whose pages are there", async () => {
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

    it("makes an account after all of it, in whatever order", async () => {
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

    it("tells what is completed in an order of its own", async () => {
      const session = await begin();
      await register({ type: TOKEN, session, token: server.registrationToken });
      const { body } = await register({ type: CAPTCHA, session, response: server.captcha });
      assert.deepEqual(new Set(body.completed), new Set([TOKEN, CAPTCHA]));
      assert.notDeepEqual(body.completed, [TOKEN, CAPTCHA]);
    });

    for (const [what, auth, errcode] of [
      ["no token", { type: TOKEN }, "M_MISSING_PARAM"],
      ["a wrong token", { type: TOKEN, token: "wrong" }, "M_UNAUTHORIZED"],
      ["a token that is no text", { type: TOKEN, token: 1 }, "M_INVALID_PARAM"],
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
      it(`answers ${what} with 401 ${errcode}, the flows, and nothing completed`, async () => {
        const session = await begin();
        const answer = await register({ ...auth, session });
        assert.deepEqual(refusal(answer), [401, errcode, true]);
        assert.deepEqual([answer.body.session, answer.body.completed], [session, []]);
      });
    }

    it("says, and forgets, what went wrong after what went well", async () => {
      const session = await begin();
      await register({ type: TERMS, session });
      const wrong = await register({ type: TOKEN, token: "wrong", session });
      assert.deepEqual([wrong.body.errcode, wrong.body.completed], ["M_UNAUTHORIZED", [TERMS]]);
      const polled = await register({ session });
      assert.deepEqual([polled.body.errcode, polled.body.completed], [undefined, [TERMS]]);
    });

    it("fails where a proof of an address is half of one", async () => {
      const auth = { type: EMAIL, threepid_creds: { sid: "x" }, session: await begin() };
      assert.deepEqual(refusal(await register(auth)), [500, "M_UNKNOWN", false]);
    });

    it("does not know a stage that is none", async () => {
      const answer = await register({ type: "org.example.odd", session: await begin() });
      assert.deepEqual(refusal(answer), [400, "M_INVALID_PARAM", false]);
    });

    it("tells beforehand whether a token is good", async () => {
      for (const [token, valid] of [
        [server.registrationToken, true],
        ["wrong", false],
      ] as const) {
        const query = new URLSearchParams({ token }).toString();
        const path = `v1/register/m.login.registration_token/validity?${query}`;
        assert.deepEqual((await anonymous("GET", path)).body, { valid });
      }
    });

    describe("on its own page for a stage", () => {
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
        it(`completes ${type}, and says so to the window that opened it, in no frame`, async () => {
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
        it(`shows the page again, and says nothing to its opener, after a wrong ${type}`, async () => {
          const session = await begin();
          const response = await submit(type, session, fields);
          assert.equal(response.status, 200);
          assert.doesNotMatch(await response.text(), /authDone/);
          assert.deepEqual((await register({ session })).body.completed, []);
        });
      }

      it("finishes a registration, with the session alone and the last stage", async () => {
        const session = await begin();
        for (const type of [TOKEN, CAPTCHA, TERMS]) await submit(type, session, fieldsOf()[type]);
        const { status } = await register({ type: DUMMY, session });
        assert.equal(status, 200);
      });

      it("has none for what a client has to ask itself", async () => {
        const session = await begin();
        for (const type of ["m.login.password", EMAIL, PHONE, DUMMY]) {
          const response = await fetch(pageOf(type, session));
          const { errcode } = (await response.json()) as { errcode: string };
          assert.deepEqual([response.status, errcode], [404, "M_UNKNOWN"]);
        }
      });

      it("needs a session", async () => {
        const response = await fetch(
          `${server.baseUrl}/_matrix/client/v3/auth/${TERMS}/fallback/web`,
        );
        assert.equal(response.status, 400);
      });
    });
  });

  within(kind, "for who has an e-mail address", (given) => {
    prepare(given);

    it("takes the proof alone, never the session; then the address is the account's", async () => {
      const address = `${wanted.username}@hs.example`;
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const { sid } = await client.requestRegisterEmailToken(address, "secret", 1);
      const auth = { type: EMAIL, session, threepid_creds: { sid, client_secret: "secret" } };
      assert.deepEqual(refusal(await register(auth)), [401, "M_UNAUTHORIZED", true]);
      const link = await fetch(await server.linkFor(address));
      assert.equal(link.status, 200);
      assert.equal(link.headers.get("Cross-Origin-Opener-Policy"), null);
      assert.equal((await register({ session })).status, 401);
      const made = await register(auth);
      assert.equal(made.status, 200);
      const { body } = await apiClient(server, made.body.access_token)("GET", "v3/account/3pid");
      assert.equal((body["threepids"] as { address: string }[])[0]?.address, address);

      const asked = { client_secret: "other", email: address, send_attempt: 1 };
      const used = await anonymous("POST", "v3/register/email/requestToken", asked);
      assert.deepEqual(refusal(used), [400, "M_THREEPID_IN_USE", false]);
    });

    it("does not take the proof with another secret", async () => {
      const address = `${wanted.username}@hs.example`;
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const { sid } = await client.requestRegisterEmailToken(address, "secret", 1);
      await fetch(await server.linkFor(address));
      const threepid_creds = { sid, client_secret: "other" };
      const answer = await register({ type: EMAIL, session, threepid_creds });
      assert.deepEqual(refusal(answer), [401, "M_UNAUTHORIZED", true]);
    });
  });

  within(kind, "for who has a phone", (given) => {
    prepare(given);

    it("takes the proof of the code", async () => {
      const session = await begin();
      const client = new HomeserverClient({ baseUrl: server.baseUrl });
      const number = "07700 900501";
      const { sid, submit_url } = await client.requestRegisterMsisdnToken("GB", number, "s", 1);
      const auth = { type: PHONE, session, threepid_creds: { sid, client_secret: "s" } };
      assert.deepEqual(refusal(await register(auth)), [401, "M_UNAUTHORIZED", true]);
      await client.submitMsisdnTokenOtherUrl(submit_url ?? "", sid, "s", server.lastCode());
      assert.equal((await register(auth)).status, 200);
    });
  });
}
