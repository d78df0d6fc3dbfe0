// What the reference homeserver, Synapse 1.160, was seen to do: the demo's has to do the same.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  clientOf,
  passwordAuth,
  signIn,
  startDemoHomeserver,
  type HomeserverUnderTest,
} from "./homeserver.js";

const TOKEN = "m.login.registration_token";
const TERMS = "m.login.terms";
const DUMMY = "m.login.dummy";
const EMAIL = "m.login.email.identity";
const CAPTCHA = "m.login.recaptcha";

describe("A homeserver that asks again who somebody is", () => {
  let server: HomeserverUnderTest;
  let ask: ReturnType<typeof clientOf>;
  let nobody: ReturnType<typeof clientOf>;

  beforeEach(async () => {
    server = await startDemoHomeserver();
    ask = await signIn(server, server.people[0]);
    nobody = clientOf(server);
  });
  afterEach(() => server.close());

  describe("for what is done with an account", () => {
    it("answers 401 with flows and a session, and no error", async () => {
      const { status, body } = await ask("DELETE", "v3/devices/OTHER");
      assert.equal(status, 401);
      assert.deepEqual(body.flows, [{ stages: ["m.login.password"] }]);
      assert.match(body.session ?? "", /^[a-zA-Z]{24}$/);
      assert.equal(body.errcode, undefined);
    });

    it("succeeds with the right password, given with the session", async () => {
      const { body } = await ask("DELETE", "v3/devices/OTHER");
      const auth = passwordAuth(body.session, server.people[0]);
      assert.equal((await ask("DELETE", "v3/devices/OTHER", { auth })).status, 200);
    });

    it("asks again, with the flows, after a wrong password", async () => {
      const { body } = await ask("POST", "v3/delete_devices", { devices: [] });
      const auth = { ...passwordAuth(body.session, server.people[0]), password: "wrong" };
      const again = await ask("POST", "v3/delete_devices", { devices: [], auth });
      assert.equal(again.status, 401);
      assert.equal(again.body.errcode, "M_FORBIDDEN");
      assert.equal(again.body.session, body.session);
      assert.ok(again.body.flows);
    });

    it("refuses the right password of somebody else with 403, and no flows", async () => {
      const { body } = await ask("DELETE", "v3/devices/OTHER");
      const auth = passwordAuth(body.session, server.people[1]);
      const refused = await ask("DELETE", "v3/devices/OTHER", { auth });
      assert.deepEqual([refused.status, refused.body.errcode], [403, "M_FORBIDDEN"]);
      assert.equal(refused.body.flows, undefined);
    });

    it("binds a session to its request", async () => {
      const { body } = await ask("DELETE", "v3/devices/ONE");
      const auth = passwordAuth(body.session, server.people[0]);
      const refused = await ask("DELETE", "v3/devices/TWO", { auth });
      assert.deepEqual([refused.status, refused.body.errcode], [403, "M_UNKNOWN"]);
    });

    it("does not know a session that it has forgotten", async () => {
      const { body } = await ask("DELETE", "v3/devices/OTHER");
      await server.forgetSessions();
      const auth = passwordAuth(body.session, server.people[0]);
      const refused = await ask("DELETE", "v3/devices/OTHER", { auth });
      assert.deepEqual([refused.status, refused.body.errcode], [400, "M_UNKNOWN"]);
    });

    it("refuses a stage that it does not know", async () => {
      const { body } = await ask("DELETE", "v3/devices/OTHER");
      const auth = { type: "org.example.odd", session: body.session };
      const refused = await ask("DELETE", "v3/devices/OTHER", { auth });
      assert.deepEqual([refused.status, refused.body.errcode], [400, "M_INVALID_PARAM"]);
    });

    it("answers a bad access token with 401 and no flows", async () => {
      const { status, body } = await clientOf(server, "no-token")("DELETE", "v3/devices/OTHER");
      assert.deepEqual([status, body.errcode, body.flows], [401, "M_UNKNOWN_TOKEN", undefined]);
    });

    it("fails where the last request leaves out the rest of the body", async () => {
      const { body } = await ask("POST", "v3/account/password", { new_password: "long-enough" });
      const auth = passwordAuth(body.session, server.people[0]);
      assert.equal((await ask("POST", "v3/account/password", { auth })).status, 500);
    });

    it("refuses a weak password after the stages, and signs nobody out", async () => {
      const weak = { new_password: "weak" };
      const { body } = await ask("POST", "v3/account/password", weak);
      const auth = passwordAuth(body.session, server.people[0]);
      const refused = await ask("POST", "v3/account/password", { ...weak, auth });
      assert.deepEqual([refused.status, refused.body.errcode], [400, "M_WEAK_PASSWORD"]);
      assert.equal((await ask("GET", "v3/account/whoami")).status, 200);
    });

    for (const [method, path, request] of [
      ["POST", "v3/delete_devices", { devices: ["X"] }],
      ["POST", "v3/account/password", { new_password: "long-enough", logout_devices: false }],
      ["POST", "v1/login/get_token", {}],
      ["POST", "v3/account/deactivate", {}],
    ] as const) {
      it(`protects ${method} ${path}`, async () => {
        const { status, body } = await ask(method, path, request);
        assert.equal(status, 401);
        const auth = passwordAuth(body.session, server.people[0]);
        assert.equal((await ask(method, path, { ...request, auth })).status, 200);
      });
    }
  });

  describe("for a new account", () => {
    const wanted = { username: "zoe", password: "a-long-password" };
    const register = (auth?: object) =>
      nobody("POST", "v3/register", { ...wanted, ...(auth && { auth }) });

    it("refuses a name that is taken, or none, before anything is asked", async () => {
      for (const [username, errcode] of [
        [server.people[0].user, "M_USER_IN_USE"],
        ["not a name", "M_INVALID_USERNAME"],
      ]) {
        const { status, body } = await nobody("POST", "v3/register", { ...wanted, username });
        assert.deepEqual([status, body.errcode], [400, errcode]);
        const query = new URLSearchParams({ username: username ?? "" }).toString();
        const available = await nobody("GET", `v3/register/available?${query}`);
        assert.equal(available.body.errcode, errcode);
      }
    });

    it("sends the policies, in languages, and the captcha's key", async () => {
      server.setRegisterFlows([[CAPTCHA, TERMS]]);
      const { body } = await register();
      const { policies } = body.params?.[TERMS] as {
        policies: Record<string, { version: string; en: { name: string; url: string } }>;
      };
      for (const { version, en } of Object.values(policies)) {
        assert.ok(version && en.name);
        assert.equal((await fetch(en.url)).status, 200);
      }
      assert.ok((body.params?.[CAPTCHA] as { public_key: string }).public_key);
    });

    it("tells what is completed in an order of its own", async () => {
      server.setRegisterFlows([[TOKEN, TERMS, DUMMY]]);
      const { session } = (await register()).body;
      await register({ type: TOKEN, session, token: server.registrationToken });
      const { body } = await register({ type: TERMS, session });
      assert.deepEqual(new Set(body.completed), new Set([TOKEN, TERMS]));
      assert.notDeepEqual(body.completed, [TOKEN, TERMS]);
      assert.equal((await register({ type: DUMMY, session })).status, 200);
    });

    for (const [what, auth, errcode] of [
      ["a wrong token", { type: TOKEN, token: "wrong" }, "M_UNAUTHORIZED"],
      ["no token", { type: TOKEN }, "M_MISSING_PARAM"],
      ["a wrong captcha", { type: CAPTCHA, response: "wrong" }, "M_UNAUTHORIZED"],
      ["no captcha", { type: CAPTCHA }, "M_CAPTCHA_NEEDED"],
    ] as const) {
      it(`answers ${what} with 401 and ${errcode}, and the flows`, async () => {
        server.setRegisterFlows([[TOKEN, CAPTCHA]]);
        const { session } = (await register()).body;
        const { status, body } = await register({ ...auth, session });
        assert.deepEqual([status, body.errcode], [401, errcode]);
        assert.ok(body.flows);
      });
    }

    it("completes e-mail with the proof alone, never with the session", async () => {
      server.setRegisterFlows([[EMAIL]]);
      const { session } = (await register()).body;
      const asked = { client_secret: "secret", email: "zoe@lantern.example", send_attempt: 1 };
      const { body } = await nobody("POST", "v3/register/email/requestToken", asked);
      const threepid_creds = { sid: body["sid"], client_secret: "secret" };
      const early = await register({ type: EMAIL, session, threepid_creds });
      assert.deepEqual([early.status, early.body.errcode], [401, "M_UNAUTHORIZED"]);
      await fetch(server.lastLink(), { method: "POST" });
      assert.equal((await register({ session })).status, 401);
      assert.equal((await register({ type: EMAIL, session, threepid_creds })).status, 200);
      const used = await nobody("POST", "v3/register/email/requestToken", {
        ...asked,
        client_secret: "other",
      });
      assert.equal(used.body.errcode, "M_THREEPID_IN_USE");
    });

    it("sends no second message for the same attempt", async () => {
      const asked = { client_secret: "secret", email: "zoe@lantern.example", send_attempt: 1 };
      await nobody("POST", "v3/register/email/requestToken", asked);
      const first = server.lastLink();
      await nobody("POST", "v3/register/email/requestToken", asked);
      assert.equal(server.lastLink(), first);
    });

    it("checks the code that came by phone where it says", async () => {
      const asked = { client_secret: "secret", country: "GB", phone_number: "07700900123" };
      const { body } = await nobody("POST", "v3/register/msisdn/requestToken", {
        ...asked,
        send_attempt: 1,
      });
      const submit = async (token: string) =>
        (
          await fetch(String(body["submit_url"]), {
            method: "POST",
            body: JSON.stringify({ sid: body["sid"], client_secret: "secret", token }),
          })
        ).json() as Promise<object>;
      assert.deepEqual(await submit("wrong"), {
        errcode: "M_TOKEN_INCORRECT",
        error: "Token is incorrect",
      });
      assert.deepEqual(await submit(server.lastCode()), { success: true });
    });
  });

  describe("on its own pages", () => {
    const page = (type: string, session: string | undefined, init?: RequestInit) =>
      fetch(
        `${server.baseUrl}/_matrix/client/v3/auth/${type}/fallback/web?session=${session}`,
        init,
      );

    it("completes a stage, and tells its opener", async () => {
      server.setRegisterFlows([[TERMS]]);
      const request = { username: "zoe", password: "a-long-password" };
      const { session } = (await nobody("POST", "v3/register", request)).body;
      assert.match(await (await page(TERMS, session)).text(), /<form method="post"/);
      const done = await page(TERMS, session, {
        method: "POST",
        body: new URLSearchParams({ agree: "on" }),
      });
      assert.match(await done.text(), /postMessage\("authDone", "\*"\)/);
      const auth = { session };
      assert.equal((await nobody("POST", "v3/register", { ...request, auth })).status, 200);
    });

    it("may not be framed", async () => {
      server.setRegisterFlows([[TERMS]]);
      const { session } = (await nobody("POST", "v3/register", { username: "zoe" })).body;
      const { headers } = await page(TERMS, session);
      assert.equal(headers.get("X-Frame-Options"), "DENY");
      assert.match(headers.get("Content-Security-Policy") ?? "", /frame-ancestors 'none'/);
    });

    it("has none for what a client has to ask itself", async () => {
      const { session } = (await nobody("POST", "v3/register", { username: "zoe" })).body;
      for (const type of ["m.login.password", EMAIL, DUMMY]) {
        const { status } = await page(type, session);
        assert.equal(status, 404);
      }
    });
  });
});
