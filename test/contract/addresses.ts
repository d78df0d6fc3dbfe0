import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { HomeserverClient } from "matrix-auth-elements/core";
import {
  EMAIL,
  apiClient,
  passwordAuth,
  passwordLogin,
  assertRefused,
  assertChallenged,
  refuses,
  createSignedInUser,
  within,
  freshNumber,
  type ApiClient,
  type Request,
  type SignedInUser,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

const ADD = ["POST", "v3/account/3pid/add"] as const;
const LOGIN = ["POST", "v3/login"] as const;
const DELETE = ["DELETE", "v3/devices/OTHER"] as const;
const PASSWORD = ["POST", "v3/account/password"] as const;
const LOGIN_TOKEN = ["POST", "v1/login/get_token", {}] as const;

/** Email addresses, phone numbers and login tokens of an account. */
export function addressesContract(kind: Kind): void {
  within(kind, "with email and login tokens", (given, it) => {
    let server: HomeserverUnderTest;
    let me: SignedInUser;
    let client: HomeserverClient;
    let anonymous: ApiClient;
    let address: string;

    beforeEach(async () => {
      server = given();
      anonymous = apiClient(server);
      me = await createSignedInUser(server);
      address = `${me.user}@hs.example`;
      client = new HomeserverClient({ baseUrl: server.baseUrl, accessToken: me.token });
    });

    const follow = (link: string, method = "GET"): Promise<Response> =>
      fetch(link, { method, redirect: "manual" });

    /** Verifies an address, and adds it to the account. */
    const addAddress = async (): Promise<void> => {
      const { sid } = await client.requestAdd3pidEmailToken(address, "secret", 1);
      await follow(await server.linkFor(address));
      const auth = passwordAuth(undefined, me);
      await client.addThreePidOnly({ sid, client_secret: "secret", auth });
    };

    describe("an email address", () => {
      it("is added when the link in the email was opened and the password is given", async () => {
        await addAddress();
        const { threepids } = await client.getThreePids();
        assert.equal(threepids.length, 1);
        assert.equal(threepids[0]?.address, address);
        assert.equal(threepids[0]["medium"], "email");
        assert.equal(typeof threepids[0]["validated_at"], "number");
        assert.equal(typeof threepids[0]["added_at"], "number");
      });

      it("can be used to sign in, and can be removed", async () => {
        await addAddress();
        const identifier = { type: "m.id.thirdparty", medium: "email", address };
        const login = { ...passwordLogin(me), identifier };
        assert.equal((await anonymous(...LOGIN, login)).body["user_id"], me.userId);
        await client.deleteThreePid("email", address);
        assert.equal((await anonymous(...LOGIN, login)).status, 403);
        assert.deepEqual((await client.getThreePids()).threepids, []);
      });

      it("is validated by opening the link, which redirects to the client's URL", async () => {
        const next = "https://app.example/next";
        const { sid } = await client.requestAdd3pidEmailToken(address, "secret", 1, next);
        const response = await follow(await server.linkFor(address));
        assert.equal(response.status, 302);
        const to = new URL(response.headers.get("Location") ?? "");
        assert.equal(to.origin + to.pathname, next);
        assert.equal(to.searchParams.get("sid"), sid);
      });

      it("is validated by opening the link, which shows a page if there is no next link", async () => {
        await client.requestAdd3pidEmailToken(address, "secret", 1);
        const response = await follow(await server.linkFor(address));
        assert.equal(response.status, 200);
        assert.match(response.headers.get("Content-Type") ?? "", /^text\/html/);
      });

      it("is not validated with another token in the link", async () => {
        const { sid } = await client.requestAdd3pidEmailToken(address, "secret", 1);
        const link = new URL(await server.linkFor(address));
        link.searchParams.set("token", "wrong");
        assert.equal((await follow(link.href)).status, 400);
        const auth = passwordAuth(undefined, me);
        const body = { sid, client_secret: "secret", auth };
        await assertRefused(me.api(...ADD, body), "400 M_THREEPID_AUTH_FAILED");
      });

      it("gets one email for each attempt, and keeps its session", async () => {
        const first = await client.requestAdd3pidEmailToken(address, "secret", 1);
        await server.linkFor(address);
        const same = await client.requestAdd3pidEmailToken(address, "secret", 1);
        assert.equal(server.mails(address), 1);
        const next = await client.requestAdd3pidEmailToken(address, "secret", 2);
        assert.equal(server.mails(address), 2);
        assert.deepEqual([same.sid, next.sid], [first.sid, first.sid]);
        assert.equal(first.submit_url, undefined);
        assert.match(first.sid, /^[0-9a-zA-Z.=_-]{1,255}$/);
      });

      it("is rejected with M_THREEPID_IN_USE when an account has it", async () => {
        await addAddress();
        const body = { client_secret: "other", email: address, send_attempt: 1 };
        await assertRefused(
          me.api("POST", "v3/account/3pid/email/requestToken", body),
          "400 M_THREEPID_IN_USE",
        );
      });

      const asked = (change: object) => (): Request => [
        "POST",
        "v3/account/3pid/email/requestToken",
        { client_secret: "secret", email: address, send_attempt: 1, ...change },
      ];
      refuses(it, () => me.api, [
        ["no secret for an email", asked({ client_secret: undefined }), "400 M_MISSING_PARAM"],
        ["a long secret", asked({ client_secret: "x".repeat(256) }), "400 M_BAD_JSON"],
        ["no address", asked({ email: undefined }), "400 M_MISSING_PARAM"],
        ["an invalid address", asked({ email: "nobody" }), "400 M_BAD_JSON"],
        ["no attempt", asked({ send_attempt: undefined }), "400 M_MISSING_PARAM"],
        ["an attempt that is not a number", asked({ send_attempt: "1" }), "400 M_BAD_JSON"],
        ["no `sid` immediately", [...ADD, { client_secret: "secret" }], "400 M_MISSING_PARAM"],
        [
          "an address of another medium",
          () => ["POST", "v3/account/3pid/delete", { medium: "pigeon", address }],
          "400 M_BAD_JSON",
        ],
      ]);
    });

    it("rejects an unknown UIA session with 400 M_UNKNOWN", async () => {
      const { session } = (await me.api(...DELETE)).body;
      await server.forgetSessions();
      const auth = passwordAuth(session, me);
      await assertRefused(me.api(...DELETE, { auth }), "400 M_UNKNOWN");
    });

    describe("a forgotten password", () => {
      const reset = (auth?: object) =>
        anonymous(...PASSWORD, {
          new_password: "a-new-password",
          ...(auth && { auth }),
        });

      it("is replaced when the user has confirmed this on the page that the email links to", async () => {
        await addAddress();
        const { sid } = await client.requestPasswordEmailToken(address, "forgotten", 1);
        const threepid_creds = { sid, client_secret: "forgotten" };
        const { session, flows } = (await reset()).body;
        assert.deepEqual(flows, [{ stages: [EMAIL] }]);
        const auth = { type: EMAIL, session, threepid_creds };
        await assertChallenged(reset(auth), "M_UNAUTHORIZED");
        const link = await server.linkFor(address);
        // Mail programs open links by themselves, so the user must also press a button.
        assert.equal((await follow(link)).status, 200);
        assert.equal((await reset(auth)).status, 401);
        assert.equal((await follow(link, "POST")).status, 200);
        assert.equal((await reset(auth)).status, 200);
        const login = passwordLogin({ ...me, password: "a-new-password" });
        assert.equal((await anonymous(...LOGIN, login)).status, 200);
      });

      it("is rejected with M_THREEPID_NOT_FOUND for an address without an account", async () => {
        const body = { client_secret: "forgotten", email: address, send_attempt: 1 };
        await assertRefused(
          anonymous("POST", "v3/account/password/email/requestToken", body),
          "400 M_THREEPID_NOT_FOUND",
        );
      });
    });

    describe("a phone number", () => {
      it("is added when the code of the text message was submitted", async () => {
        const number = freshNumber();
        const { sid, submit_url: url = "" } = await client.requestAdd3pidMsisdnToken(
          "GB",
          number,
          "s",
          1,
        );
        assert.ok(url.startsWith(server.baseUrl));
        await assert.rejects(client.submitMsisdnTokenOtherUrl(url, sid, "s", "wrong"));
        await client.submitMsisdnTokenOtherUrl(url, sid, "s", server.lastCode());
        const auth = passwordAuth(undefined, me);
        await client.addThreePidOnly({ sid, client_secret: "s", auth });
        const { threepids } = await client.getThreePids();
        assert.equal(threepids[0]?.address, `44${number.slice(1).replace(" ", "")}`);
        assert.equal(threepids[0]["medium"], "msisdn");

        const body = { client_secret: "t", country: "GB", phone_number: number, send_attempt: 1 };
        await assertRefused(
          me.api("POST", "v3/account/3pid/msisdn/requestToken", body),
          "400 M_THREEPID_IN_USE",
        );
      });

      const asked = (change: object): Request => [
        "POST",
        "v3/account/3pid/msisdn/requestToken",
        {
          client_secret: "s",
          country: "GB",
          phone_number: freshNumber(),
          send_attempt: 1,
          ...change,
        },
      ];
      refuses(it, () => me.api, [
        ["what is not a number", asked({ phone_number: "nobody" }), "400 M_INVALID_PARAM"],
        ["no country", asked({ country: undefined }), "400 M_MISSING_PARAM"],
      ]);
    });

    describe("a login token", () => {
      it("is returned for the password, with its lifetime, and signs in another device once", async () => {
        const answer = await client.requestLoginToken(passwordAuth(undefined, me));
        assert.equal(answer["expires_in_ms"], 300_000);
        const login = { type: "m.login.token", token: answer.login_token };
        const { body } = await anonymous(...LOGIN, login);
        assert.equal(body["user_id"], me.userId);
        assert.notEqual(body["device_id"], me.deviceId);
        await assertRefused(anonymous(...LOGIN, login), "403 M_FORBIDDEN");
      });

      it("is protected, and needs an access token", async () => {
        await assertChallenged(me.api(...LOGIN_TOKEN));
        await assertRefused(anonymous(...LOGIN_TOKEN), "401 M_MISSING_TOKEN");
      });

      it("is listed among the sign-in methods", async () => {
        const { body } = await anonymous("GET", "v3/login");
        const flows = body.flows as unknown as { type: string; get_login_token?: boolean }[];
        assert.ok(flows.some((flow) => flow.type === "m.login.token" && flow.get_login_token));
      });
    });

    it("rejects a short password before any stage, and signs out no device", async () => {
      await assertRefused(
        me.api(...PASSWORD, { new_password: "short" }),
        "400 M_PASSWORD_TOO_SHORT",
      );
      assert.equal((await me.api("GET", "v3/account/whoami")).status, 200);
    });
  });
}
