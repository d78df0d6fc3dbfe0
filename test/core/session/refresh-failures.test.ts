import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcError,
  OidcFlowError,
  OidcSession,
  type OidcErrorCode,
} from "matrix-auth-elements/core";
import { everyTextIn, expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  held,
  html,
  hugeBody,
  inTurn,
  never,
  networkFailure,
  redirectTo,
  text,
  truncatedJson,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { restoreStubs } from "../../support/stub.ts";
import { Clock, until } from "./clock.ts";
import {
  CLAIMS,
  CLIENT_ID,
  HOMESERVER,
  ISSUER,
  RotatingIssuer,
  SCOPE,
  TOKEN,
  ending,
  json,
  listen,
  newSession,
  signIn,
  unsignedIdToken,
} from "./support.ts";

/** How long a request may take; reading its answer is not a back-off. */
const TIME_LIMIT_MS = 10_000;

describe("Where new tokens can't be had,", () => {
  let issuer: RotatingIssuer;

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });
  afterEach(restoreStubs);

  /** What the session waits for before it asks again, in milliseconds. */
  const backOff = async (clock: Clock, requests: number): Promise<number> => {
    const waits = (): readonly number[] => clock.pending.filter((ms) => ms !== TIME_LIMIT_MS);
    await until(() => issuer.server.log.length === requests && waits().length === 1);
    return waits()[0] ?? NaN;
  };

  describe("because there is no usable answer, it tries again with the same refresh token:", () => {
    const passing: readonly (readonly [string, Responder, OidcErrorCode])[] = [
      ["no network", networkFailure, "network_error"],
      ["HTTP 500", json({ error: "invalid_grant" }, 500), "server_error"],
      ["HTTP 503 with HTML", html(503), "server_error"],
      ["HTTP 429", json({ error: "slow_down" }, 429), "rate_limited"],
      ["an answer that broke off", truncatedJson({ access_token: "x" }), "network_error"],
      ["HTML in place of tokens", html(), "network_error"],
    ];
    for (const [what, answer, code] of passing) {
      it(`${what}, then tokens`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = inTurn(answer, issuer.refresh);
        const session = newSession(issuer, ending());
        const token = session.accessToken();
        await backOff(clock, 1);
        await clock.pass(1200);

        expect(await token).to.equal("secret-access-1");
        expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
      });

      it(`${what} five times: tells it as ${code}, and stays signed in`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = answer;
        const session = newSession(issuer, ending());
        const heard = listen(session);
        const failed = rejectionOf(session.accessToken());
        for (const [made, seconds] of [1, 2, 4, 8].entries()) {
          const ms = await backOff(clock, made + 1);
          expect(ms).to.be.within(seconds * 800, seconds * 1200);
          await clock.pass(ms);
        }

        const error = (await failed) as OidcFlowError;
        expect(error).to.include({ message: OidcError.RefreshTokenFailed, code, retryable: true });
        expect(issuer.server.log).to.have.length(5);
        expect([session.state, heard, clock.pending]).to.deep.equal(["signed-in", [], []]);

        issuer.server.routes[TOKEN] = issuer.refresh;
        expect(await session.accessToken()).to.equal("secret-access-1");
      });
    }

    it("no answer in time", async () => {
      issuer.server.routes[TOKEN] = inTurn(never, issuer.refresh);
      const session = newSession(issuer, ending(), { timeoutMs: 1 });
      const clock = new Clock();
      const token = session.accessToken();
      await until(() => clock.pending.includes(1));
      await clock.pass(1);
      await backOff(clock, 1);
      await clock.pass(1200);

      expect(await token).to.equal("secret-access-1");
    });

    for (const [what, answer] of [
      ["its header", json({}, { status: 429, headers: { "Retry-After": "7" } })],
      ["its body", json({ retry_after_ms: 7000 }, 429)],
      ["the header of a 503", text("", { status: 503, headers: { "Retry-After": "7" } })],
    ] as const) {
      it(`after the time that the issuer asks for in ${what}`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = inTurn(answer, issuer.refresh);
        const token = newSession(issuer, ending()).accessToken();

        expect(await backOff(clock, 1)).to.equal(7000);
        await clock.pass(7000);
        expect(await token).to.equal("secret-access-1");
      });
    }

    it("not where the issuer asks for more than a minute: it tells how long", async () => {
      issuer.server.routes[TOKEN] = json({ retry_after_ms: 61_000 }, 429);
      const session = newSession(issuer, ending());

      const error = await expectFlowError(
        session.accessToken(),
        OidcError.RefreshTokenFailed,
        "rate_limited",
      );

      expect(error.retryAfterMs).to.equal(61_000);
      expect(issuer.server.log).to.have.length(1);
      expect(session.state).to.equal("signed-in");
    });
  });

  describe("while the old access token is still good,", () => {
    it("gives that at once, and asks the issuer again five seconds later", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(20));

      expect(await session.accessToken()).to.equal("secret-access-0");
      expect(await session.accessToken()).to.equal("secret-access-0");
      expect(issuer.server.log).to.have.length(1);

      clock.jump(5000);
      issuer.server.routes[TOKEN] = issuer.refresh;
      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("gives it no longer than it is good", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(3));
      await session.accessToken();
      clock.jump(4000);
      issuer.server.routes[TOKEN] = issuer.refresh;

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("gives it after three seconds where the issuer does not answer, and takes a late answer", async () => {
      const clock = new Clock();
      const answer = held(issuer.refresh);
      issuer.server.routes[TOKEN] = answer.answer;
      const session = newSession(issuer, ending(20));
      const heard = listen(session);
      const token = session.accessToken();
      await answer.asked;
      await until(() => clock.pending.includes(3000));
      await clock.pass(3000);

      expect(await token).to.equal("secret-access-0");
      expect(await session.accessToken()).to.equal("secret-access-0");
      answer.release();
      await until(() => heard.length);
      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
      expect(clock.pending).to.be.empty;
    });

    it("gives it after three seconds where others wait for a refresh that was asked for", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(25));
      const refreshed = rejectionOf(session.refresh());
      const token = session.accessToken();
      await until(() => clock.pending.length === 2);
      await clock.pass(3000);

      expect(await token).to.equal("secret-access-0");
      await clock.pass(20_000);
      expect(await refreshed).to.include({ code: "network_error" });
    });

    it("serves a HomeserverClient with it, also one whose time is shorter", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = never;
      const session = newSession(issuer, ending(20));
      const { fetch } = issuer.server;
      const client = new HomeserverClient({ baseUrl: HOMESERVER, session, fetch });
      const inTime = client.whoami();
      await until(() => clock.pending.includes(3000));
      await clock.pass(3000);
      expect(await inTime).to.have.property("user_id");

      await clock.pass(5000);
      const late = rejectionOf(client.whoami({ timeoutMs: 1000 }));
      await until(() => clock.pending.includes(1000));
      await clock.pass(1000);
      expect(await late).to.include({ code: "timeout" });
      expect(await client.whoami({ timeoutMs: 1000 })).to.have.property("user_id");
    });

    it("goes on waiting for the issuer where it ends meanwhile", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = inTurn(never, issuer.refresh);
      const token = newSession(issuer, ending(2)).accessToken();
      await until(() => clock.pending.length === 2);
      for (const ms of [2000, 8000]) await clock.pass(ms);

      expect(await token).to.equal("secret-access-1");
    });

    it("does not give it to who leaves, or after the end", async () => {
      issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
      await expectFlowError(
        newSession(issuer, ending(20)).accessToken(),
        OidcError.SessionEnded,
        "session_ended",
      );
      issuer.server.routes[TOKEN] = never;
      const controller = new AbortController();
      const leaving = rejectionOf(
        newSession(issuer, ending(20)).accessToken({ signal: controller.signal }),
      );
      controller.abort();

      expect(await leaving).to.include({ code: "aborted" });
    });
  });

  describe("because the issuer refuses, the session ends, once:", () => {
    const refusals: readonly (readonly [string, Responder])[] = [
      ["HTTP 400 invalid_grant", json({ error: "invalid_grant" }, 400)],
      ["HTTP 401 invalid_client", json({ error: "invalid_client" }, 401)],
      ["HTTP 400 with a Matrix error", json({ errcode: "M_FORBIDDEN" }, 400)],
      ["HTTP 403 with HTML", html(403)],
      ["HTTP 404 with HTML", html(404)],
    ];
    for (const [what, answer] of refusals) {
      it(what, async () => {
        issuer.server.routes[TOKEN] = answer;
        const session = newSession(issuer, ending());
        const heard = listen(session);

        const { cause } = await expectFlowError(
          session.accessToken(),
          OidcError.SessionEnded,
          "session_ended",
        );

        expect(cause).to.include({ message: OidcError.RefreshTokenFailed });
        expect(heard).to.deep.equal([{ type: "session-ended", softLogout: false }]);
        expect(session.state).to.equal("signed-out");
        await expectFlowError(session.accessToken(), OidcError.SessionEnded, "session_ended");
        await expectFlowError(session.refresh(), OidcError.SessionEnded, "session_ended");
        expect(issuer.server.log).to.have.length(1);
        expect(heard).to.have.length(1);
      });
    }

    it("there is nothing to refresh with, and the person asks to", async () => {
      const { refresh_token: _, ...tokens } = signIn().tokenResponse;
      const session = new OidcSession({ ...signIn(), tokenResponse: tokens });

      await expectFlowError(session.refresh(), OidcError.SessionEnded, "session_ended");
    });

    it("and still tells whose session it was, to sign in again as the same device", async () => {
      issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
      const session = newSession(issuer, ending());
      await rejectionOf(session.accessToken());

      expect(session.user.deviceId).to.equal("DEVICE1234");
      expect(session.expiresAt).to.be.undefined;
    });
  });

  describe("because they are for somebody or something else, they are not used, and it ends:", () => {
    const strangers: Record<string, readonly [Record<string, unknown>, OidcErrorCode]> = {
      "another person": [
        { id_token: unsignedIdToken({ ...CLAIMS, sub: "mallory" }) },
        "id_token_invalid",
      ],
      "another issuer's person": [
        { id_token: unsignedIdToken({ ...CLAIMS, iss: "https://evil.example/" }) },
        "id_token_invalid",
      ],
      "another application": [
        { id_token: unsignedIdToken({ ...CLAIMS, aud: ["other"] }) },
        "id_token_invalid",
      ],
      "another application alone": [
        { id_token: unsignedIdToken({ ...CLAIMS, aud: "other" }) },
        "id_token_invalid",
      ],
      "an ID token that is none": [{ id_token: "none" }, "id_token_invalid"],
      "an ID token of no JSON": [{ id_token: "e30.e30x.e30" }, "id_token_invalid"],
      "an ID token of no letters": [{ id_token: "e30.%%%.e30" }, "id_token_invalid"],
      "an ID token of no claims": [{ id_token: unsignedIdToken([]) }, "id_token_invalid"],
      "another device": [
        { scope: "urn:matrix:client:api:* urn:matrix:client:device:OTHER12345" },
        "scope_not_granted",
      ],
      "no device": [{ scope: "urn:matrix:client:api:*" }, "scope_not_granted"],
      "no homeserver": [
        { scope: "openid urn:matrix:client:device:DEVICE1234" },
        "scope_not_granted",
      ],
    };
    for (const [what, [tokens, code]] of Object.entries(strangers)) {
      it(what, async () => {
        issuer.tokens = tokens;
        const session = newSession(issuer, ending());
        const heard = listen(session);

        const { cause } = await expectFlowError(
          session.accessToken(),
          OidcError.SessionEnded,
          "session_ended",
        );

        expect(cause).to.include({ code });
        if (code === "scope_not_granted") {
          const reason = `The issuer granted only: ${String(tokens["scope"])}`;
          expect(cause).to.have.nested.property("cause.message", reason);
        }
        expect(heard).to.deep.equal([{ type: "session-ended", softLogout: false }]);
        expect(issuer.server.log).to.have.length(1);
      });
    }
  });

  describe("because of nothing of the kind, it goes on:", () => {
    const fine: Record<string, Record<string, unknown>> = {
      "an ID token for the same person": { id_token: unsignedIdToken(CLAIMS) },
      "an ID token for several applications": {
        id_token: unsignedIdToken({ ...CLAIMS, aud: ["other", CLIENT_ID] }),
      },
      "an ID token with a nonce, where none is known": {
        id_token: unsignedIdToken({ ...CLAIMS, nonce: "abc", azp: CLIENT_ID }),
      },
      "no word of the scope": { scope: undefined },
      "the scope by its old names": {
        scope:
          "urn:matrix:org.matrix.msc2967.client:api:* urn:matrix:org.matrix.msc2967.client:device:DEVICE1234",
      },
    };
    for (const [what, tokens] of Object.entries(fine)) {
      it(what, async () => {
        issuer.tokens = tokens;
        expect(await newSession(issuer, ending()).accessToken()).to.equal("secret-access-1");
      });
    }

    it("a person with letters beyond ASCII, which base64url writes in its own way", async () => {
      const idTokenClaims = { ...CLAIMS, sub: "Zoë 🐈 ?????????>>>>>>>>>" };
      expect(unsignedIdToken(idTokenClaims)).to.match(/-.*-/).and.to.match(/_.*_/);
      issuer.tokens = { id_token: unsignedIdToken(idTokenClaims) };
      const session = new OidcSession(
        { ...signIn(ending()), idTokenClaims },
        { fetch: issuer.server.fetch },
      );

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("an ID token where there was none to compare it with", async () => {
      issuer.tokens = { id_token: "whatever" };
      const session = new OidcSession(
        { ...signIn(ending()), idTokenClaims: undefined },
        { fetch: issuer.server.fetch },
      );

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    for (const granted of ["urn:matrix:client:api:*", SCOPE]) {
      it(`whatever device, where none was granted at first: ${granted}`, async () => {
        issuer.tokens = { scope: granted };
        const session = new OidcSession(
          { ...signIn(ending()), scope: "urn:matrix:client:api:*" },
          { fetch: issuer.server.fetch },
        );

        expect(await session.accessToken()).to.equal("secret-access-1");
      });
    }
  });

  describe("because the answer is odd, it tells so once, and stays signed in:", () => {
    const odd: readonly (readonly [string, Responder, OidcError, OidcErrorCode])[] = [
      ["no tokens in it", json({}), OidcError.InvalidBearerTokenResponse, "token_response_invalid"],
      [
        "a redirect",
        redirectTo("https://evil.example/"),
        OidcError.RefreshTokenFailed,
        "unexpected_redirect",
      ],
      ["ten megabytes", hugeBody(10 << 20), OidcError.RefreshTokenFailed, "response_too_large"],
    ];
    for (const [what, answer, message, code] of odd) {
      it(what, async () => {
        issuer.server.routes[TOKEN] = answer;
        const session = newSession(issuer, ending());
        const heard = listen(session);

        await expectFlowError(session.accessToken(), message, code);

        expect(issuer.server.log).to.have.length(1);
        expect([session.state, heard]).to.deep.equal(["signed-in", []]);
        issuer.server.routes[TOKEN] = issuer.refresh;
        expect(await session.accessToken()).to.equal("secret-access-1");
      });
    }

    it("an issuer's document that can't be had", async () => {
      const { metadata: _, ...result } = signIn(ending());
      issuer.server.routes[`GET ${ISSUER}.well-known/openid-configuration`] = json({}, 404);
      const session = new OidcSession(result, { fetch: issuer.server.fetch });

      await expectFlowError(session.accessToken(), OidcError.General, "unexpected_status");
      expect(session.state).to.equal("signed-in");
    });
  });

  describe("no error holds a token:", () => {
    const failures: Record<string, Responder> = {
      "a refusal that repeats what was sent": ({ body }) =>
        Response.json({ error: "invalid_grant", error_description: body }, { status: 400 }),
      "a refusal whose code repeats it": ({ body }) =>
        Response.json({ error: body }, { status: 400 }),
      "tokens without a type": json({
        access_token: "secret-access-1",
        refresh_token: "secret-refresh-1",
      }),
      "tokens for another person": json({
        access_token: "secret-access-1",
        refresh_token: "secret-refresh-1",
        token_type: "Bearer",
        id_token: unsignedIdToken({ sub: "secret-sub" }),
      }),
      "tokens that broke off": text('{"access_token":"secret-access-1'),
    };
    for (const [what, answer] of Object.entries(failures)) {
      it(what, async () => {
        issuer.server.routes[TOKEN] = answer;
        const clock = new Clock();
        let error: unknown;
        void rejectionOf(newSession(issuer, ending()).accessToken()).then((it) => (error = it));
        for (; error === undefined; await clock.pass(10_000));

        expect(everyTextIn(error)).not.to.include("secret");
      });
    }
  });
});
