import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcError,
  OidcSession,
  type OidcFlowError,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  html,
  inSequence,
  never,
  networkFailure,
  redirectTo,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { Clock, idle, until } from "../../support/clock.ts";
import {
  CLAIMS,
  CLIENT_ID,
  ISSUER,
  HOMESERVER,
  RotatingIssuer,
  TOKEN,
  WHOAMI,
  ending,
  json,
  recordEvents,
  type RecordedEvent,
  newSession,
  restoredSession,
  signIn,
  unsignedIdToken,
} from "./support.ts";

/** The code of the first event. */
const errorOf = (events: readonly RecordedEvent[]): string | undefined => events[0]?.code;

const DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;
const MOVED = `${ISSUER}moved`;
const ELSEWHERE = "https://elsewhere.example/token";
const NEXT_TOKEN = "secret-access-1";

/** An error response in Matrix's format, as a homeserver with a built-in provider might send it. */
const UNKNOWN_TOKEN = { errcode: "M_UNKNOWN_TOKEN", error: "Unknown refresh token" };

describe("A session that gets no new tokens", () => {
  let issuer: RotatingIssuer;

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });
  afterEach(restoreStubs);

  it("reports the failure even if callers continue with the token that is still valid", async () => {
    const clock = new Clock();
    issuer.server.routes[TOKEN] = never;
    const session = newSession(issuer, ending(25));
    const events = recordEvents(session);

    expect(await clock.passUntil(session.accessToken())).to.equal("secret-access-0");
    await clock.passUntil(until(() => events.length > 0));
    expect(events.map(({ code }) => code)).to.deep.equal(["timeout"]);
  });

  it("stops repeating a refresh if the issuer doesn't respond for a minute", async () => {
    const clock = new Clock();
    issuer.server.routes[TOKEN] = never;
    const failed = rejectionOf(newSession(issuer, ending()).accessToken());

    expect(await clock.passUntil(failed)).to.include({ code: "timeout" });
    expect(issuer.received).to.have.length(2);
  });

  describe("because the response was lost, while its token is valid", () => {
    let clock: Clock;
    const requests = (): number => issuer.server.log.filter((line) => line === TOKEN).length;
    const isOnline = (value: boolean): void => stub(navigator, "onLine", { value });
    const lose = async (...responses: readonly Responder[]): Promise<OidcSession> => {
      clock = new Clock();
      issuer.server.routes[TOKEN] = inSequence(networkFailure, ...responses);
      const session = newSession(issuer, ending(25));
      expect(await clock.passUntil(session.accessToken())).to.equal("secret-access-0");
      expect(requests()).to.equal(1);
      return session;
    };

    it("repeats the request in the background, as providers expect", async () => {
      const session = await lose((request) => issuer.refresh(request));
      const events = recordEvents(session);
      await clock.passUntil(until(() => events.length > 0));
      expect(events).to.deep.equal([{ type: "session-changed" }]);
      expect(await session.accessToken()).to.equal(NEXT_TOKEN);
      expect(requests()).to.equal(2);
    });

    it("repeats it once the device is online", async () => {
      isOnline(false);
      const session = await lose((request) => issuer.refresh(request));
      const events = recordEvents(session);
      await clock.pass(20_000);
      expect(requests()).to.equal(1);
      dispatchEvent(new Event("online"));
      await clock.passUntil(until(() => events.length > 0));
      expect(events).to.deep.equal([{ type: "session-changed" }]);
    });

    it("repeats it only once", async () => {
      await lose(networkFailure);
      await clock.passUntil(until(() => requests() === 2));
      await clock.pass(60_000);
      await idle();
      expect(requests()).to.equal(2);
    });

    it("doesn't repeat it for a session that was closed", async () => {
      (await lose(networkFailure)).close();
      await clock.pass(60_000);
      await idle();
      expect(requests()).to.equal(1);
    });
  });

  it("sends no request in any tab before the delay that the issuer requires is over", async () => {
    const clock = new Clock();
    issuer.server.routes[TOKEN] = json({ retry_after_ms: 3_600_000 }, 429);
    const session = newSession(issuer, ending(), { store: "localStorage" });
    const failure = async (call: Promise<unknown>): Promise<unknown> => {
      const error = await clock.passUntil(rejectionOf(call));
      expect(error).to.include({ message: OidcError.RefreshTokenFailed, code: "rate_limited" });
      return (error as OidcFlowError).retryAfterMs;
    };

    expect(await failure(session.accessToken())).to.equal(3_600_000);
    clock.jump(600_000);
    for (const call of ["accessToken", "refresh"] as const) {
      expect(await failure(session[call]())).to.be.within(2_900_000, 3_000_000);
    }
    // A token that the homeserver rejects is not refreshed either.
    await failure(session.replaceToken("secret-access-0", false));
    const other = await restoredSession(issuer);
    for (let i = 0; i < 50; i++) await failure(other.accessToken());
    expect(issuer.received).to.have.length(1);

    issuer.server.routes[TOKEN] = issuer.refresh;
    // If the clock is set back, the delay still ends.
    clock.jump(-86_400_000);
    expect(await clock.passUntil(other.refresh())).to.equal("secret-access-1");
    for (const each of [session, other]) each.close();
    localStorage.clear();
  });

  it("refreshes a token that is about to expire when an earlier one is rejected late", async () => {
    const clock = new Clock();
    issuer.tokens = { expires_in: 40 };
    const session = newSession(issuer);
    await session.refresh();
    clock.jump(25_000);
    expect(await session.replaceToken("secret-access-0", false)).to.equal("secret-access-2");
  });

  for (const [what, endpoint, token, respond] of [
    ["on its origin", MOVED, NEXT_TOKEN, () => new Response(null, { status: 404 })],
    ["on its origin", MOVED, NEXT_TOKEN, json({ error: "not_found" }, 404)],
    ["on its origin", MOVED, NEXT_TOKEN, json({ errcode: "M_UNRECOGNIZED" }, 405)],
    ["on its origin", MOVED, NEXT_TOKEN, html()],
    ["on its origin", MOVED, NEXT_TOKEN, html(403)],
    ["on its origin", MOVED, NEXT_TOKEN, redirectTo(MOVED, 301)],
    ["on its origin", MOVED, NEXT_TOKEN, redirectTo(MOVED, 308)],
    ["to another origin", ELSEWHERE, undefined, json({ error: "gone" }, 410)],
    ["to another origin", ELSEWHERE, undefined, redirectTo(ELSEWHERE, 308)],
  ] as const) {
    it(`looks once for a token endpoint that has moved ${what}`, async () => {
      const provider = await ScriptedProvider.create();
      const names = { issuer: ISSUER, token_endpoint: endpoint };
      issuer.server.routes[DOCUMENT] = json({ ...provider.metadata, ...names });
      issuer.server.routes[TOKEN] = respond;
      issuer.server.routes[`POST ${endpoint}`] = issuer.refresh;
      const session = newSession(issuer, ending());

      expect(await session.accessToken().catch(() => undefined)).to.equal(token);
      expect(issuer.server.log).to.deep.equal([
        TOKEN,
        DOCUMENT,
        ...(token ? [`POST ${endpoint}`] : []),
      ]);
      expect(session.state).to.equal("signed-in");
    });
  }

  describe("refresh() after a response without information about the session", () => {
    const responses: readonly (readonly [string, Responder])[] = [
      ["403 with a web page", html(403)],
      ["413 without body", () => new Response(null, { status: 413 })],
      ["401 M_UNKNOWN_TOKEN", json(UNKNOWN_TOKEN, 401)],
      ["400 invalid_request", json({ error: "invalid_request" }, 400)],
    ];
    for (const [what, respond] of responses) {
      it(`keeps the session after ${what}, and reports when it tries again`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = respond;
        const session = newSession(issuer, ending());
        const events = recordEvents(session);
        await rejectionOf(session.accessToken());
        const now = Date.now();
        // Other calls send no request before the delay is over.
        for (let i = 0; i < 50; i++) {
          const { cause } = (await rejectionOf(session.accessToken())) as OidcFlowError;
          expect(cause).to.have.property(
            "message",
            "The provider requested a delay that is not over yet",
          );
        }

        expect(session.state).to.equal("signed-in");
        expect(issuer.received).to.have.length(1);
        expect(events).to.deep.equal([
          { type: "session-refresh-failed", code: errorOf(events), retryAt: now + 5000 },
        ]);
        clock.jump(5000);
        issuer.server.routes[TOKEN] = issuer.refresh;
        expect(await session.accessToken()).to.equal("secret-access-1");
      });
    }

    it("doubles the wait after each failure, up to five minutes", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = json({ error: "invalid_request" }, 400);
      const session = newSession(issuer, ending());
      const waits: number[] = [];
      session.addEventListener("session-refresh-failed", ({ detail: { retryAt } }) =>
        waits.push(retryAt - Date.now()),
      );
      for (let i = 0; i < 8; i++) {
        await rejectionOf(session.accessToken());
        clock.jump(waits.at(-1) ?? 0);
      }
      const seconds = waits.map((ms) => ms / 1000);
      expect(seconds).to.deep.equal([5, 10, 20, 40, 80, 160, 300, 300]);
    });

    const BARE: Responder = () => new Response(null, { status: 400 });
    const OTHER = json({ error: "slow_down" }, 400);
    for (const [what, refusals, state] of [
      ["ends softly after three bare rejections over a minute", [0, 30, 60], "soft-logout"],
      ["continues after three bare rejections within a minute", [0, 30, 59], "signed-in"],
      ["continues after two bare rejections over an hour", [0, 3600], "signed-in"],
    ] as const) {
      for (const first of [undefined, OTHER]) {
        it(`${what}${first ? ", after a different rejection" : ""}`, async () => {
          const clock = new Clock();
          const began = Date.now();
          const session = newSession(issuer);
          // The homeserver does not know its token.
          issuer.server.routes[TOKEN] = first ?? BARE;
          await rejectionOf(session.replaceToken("secret-access-0", false));
          issuer.server.routes[TOKEN] = BARE;
          clock.jump(first ? 1000 : 0);
          for (const seconds of first ? refusals : refusals.slice(1)) {
            clock.jump(began + (first ? 1000 : 0) + seconds * 1000 - Date.now());
            await rejectionOf(session.refresh());
          }

          expect(session.state).to.equal(state);
        });
      }
    }

    const REJECTIONS: readonly (readonly [number, string, object?])[] = [
      [401, "soft-logout"],
      [401, "soft-logout", UNKNOWN_TOKEN],
      [400, "soft-logout", UNKNOWN_TOKEN],
      [400, "soft-logout", { error: "invalid_request" }],
      [401, "soft-logout", { error: "invalid_token" }],
      [400, "soft-logout", { error: "expired_token" }],
      [403, "soft-logout", { error: "invalid_refresh_token" }],
      [200, "soft-logout", { error: "bad_refresh_token" }],
      [500, "soft-logout", { error: "invalid_grant" }],
      [400, "signed-in", { error: "slow_down" }],
      [403, "signed-in", UNKNOWN_TOKEN],
      [403, "signed-in"],
      [404, "signed-in"],
    ];
    for (const [status, state, body] of REJECTIONS) {
      it(`is ${state} after three rejections over a minute with HTTP ${status} and ${JSON.stringify(body) ?? "nothing else"}`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = body
          ? json(body, status)
          : () => new Response(null, { status });
        const session = newSession(issuer);
        // The homeserver does not know its token.
        await rejectionOf(session.replaceToken("secret-access-0", false));
        for (let refusals = 1; refusals < 3; refusals += 1) {
          clock.jump(30_000);
          await rejectionOf(session.refresh());
        }

        expect(session.state).to.equal(state);
      });
    }

    for (const [knows, state] of [
      ["doesn't know", "soft-logout"],
      ["accepts", "signed-in"],
      ["does not say anything about", "signed-in"],
      ["rejects with another status than 401", "signed-in"],
    ] as const) {
      it(`is ${state} after three rejections of an expired token, which the homeserver ${knows}`, async () => {
        const clock = new Clock();
        issuer.server.routes[TOKEN] = json({ error: "invalid_request" }, 400);
        if (knows === "doesn't know") issuer.revoked = true;
        const isSilent = knows === "does not say anything about";
        if (isSilent) issuer.server.routes[`GET ${WHOAMI}`] = networkFailure;
        const isForbidden = knows === "rejects with another status than 401";
        if (isForbidden) issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN_TOKEN, 403);
        const session = newSession(issuer, ending(-1));
        for (let refusals = 0; refusals < 3; refusals += 1) {
          await rejectionOf(session.accessToken());
          clock.jump(60_000);
        }

        expect(session.state).to.equal(state);
      });
    }

    it("continues after rejections while the homeserver accepts the token", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = BARE;
      const session = newSession(issuer);
      for (let i = 0; i < 5; i++) {
        await rejectionOf(session.refresh());
        clock.jump(60_000);
      }

      expect(session.state).to.equal("signed-in");
    });
  });

  for (const [call, ask] of [
    ["accessToken()", (session) => session.accessToken()],
    ["fetch()", (session) => session.fetch(WHOAMI)],
    [
      "a HomeserverClient's call",
      (session, fetch) => new HomeserverClient({ baseUrl: HOMESERVER, session, fetch }).whoami(),
    ],
  ] satisfies readonly (readonly [
    string,
    (session: OidcSession, fetch: typeof globalThis.fetch) => Promise<unknown>,
  ])[]) {
    it(`rejects ${call} with network_error, and stays signed in, if the token has expired and there is no network`, async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(-1));
      const error = await clock.passUntil(rejectionOf(ask(session, issuer.server.fetch)));
      expect(error).to.include({ message: OidcError.RefreshTokenFailed, code: "network_error" });
      expect(issuer.server.to(`${ISSUER}token`)).to.have.length(5);
      expect(session.state).to.equal("signed-in");
    });
  }

  describe("with an access token that is still valid", () => {
    it("returns it immediately if the refresh fails, and refreshes again five seconds later", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(20));

      expect(await session.accessToken()).to.equal("secret-access-0");
      expect(await session.accessToken()).to.equal("secret-access-0");
      expect(issuer.received).to.have.length(1);

      clock.jump(5000);
      issuer.server.routes[TOKEN] = issuer.refresh;
      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("does not return it after it has expired", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(3));
      await session.accessToken();
      clock.jump(4000);
      issuer.server.routes[TOKEN] = issuer.refresh;

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("returns it after three seconds if the issuer does not respond, and accepts a late response", async () => {
      const clock = new Clock();
      const response = issuer.hold();
      const session = newSession(issuer, ending(20));
      const events = recordEvents(session);
      const token = session.accessToken();
      await response.asked;
      await until(() => clock.pending.includes(3000));
      await clock.pass(3000);

      expect(await token).to.equal("secret-access-0");
      expect(await session.accessToken()).to.equal("secret-access-0");
      response.release();
      await until(() => events.length);
      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
      expect(clock.pending).to.be.empty;
    });

    it("returns it after three seconds while refresh() is still retrying", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending(25));
      const refreshed = rejectionOf(session.refresh());
      const token = session.accessToken();
      await until(() => clock.pending.includes(3000));
      await clock.pass(3000);

      expect(await token).to.equal("secret-access-0");
      expect(await clock.passUntil(refreshed)).to.include({ code: "network_error" });
    });

    it("returns it to a HomeserverClient, and after one timeout to calls with a shorter time limit, too", async () => {
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

    it("accepts the response of an issuer that takes 25 seconds, and sends its refresh token once", async () => {
      const clock = new Clock();
      const response = issuer.hold();
      const token = newSession(issuer, ending()).accessToken();
      await response.asked;
      await clock.pass(25_000);
      response.release();

      expect(await token).to.equal(NEXT_TOKEN);
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    });

    it("continues to wait for the issuer if the token expires during the wait", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = inSequence(never, issuer.refresh);
      const token = newSession(issuer, ending(2)).accessToken();

      expect(await clock.passUntil(token)).to.equal("secret-access-1");
    });

    it("does not return it to a caller that aborts, or after the end", async () => {
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

  it("keeps the device ID after invalid_grant, so that the user can sign in again as the same device", async () => {
    issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
    const session = newSession(issuer, ending());
    await rejectionOf(session.accessToken());

    expect(session.user.deviceId).to.equal("DEVICE1234");
    expect(session.expiresAt).to.be.undefined;
  });

  it("rejects refresh() with refresh_not_possible if it has no refresh token, and stays signed in", async () => {
    const { refresh_token: _, ...tokens } = signIn().tokenResponse;
    const session = new OidcSession({ ...signIn(), tokenResponse: tokens });

    await expectFlowError(session.refresh(), OidcError.RefreshTokenFailed, "refresh_not_possible");
    expect(await session.accessToken()).to.equal("secret-access-0");
  });

  describe("continues after a refresh whose response has", () => {
    const OLD = "urn:matrix:org.matrix.msc2967.client";
    // With the characters - and _ of base64url.
    const ZOE = { ...CLAIMS, sub: "Zoë 🐈 ?????????>>>>>>>>>" };
    for (const [what, members, idTokenClaims] of [
      ["an ID token for the same user", { id_token: unsignedIdToken(CLAIMS) }, CLAIMS],
      [
        "an ID token for several apps",
        { id_token: unsignedIdToken({ ...CLAIMS, aud: ["other", CLIENT_ID] }) },
        CLAIMS,
      ],
      [
        "an ID token with an unknown nonce",
        { id_token: unsignedIdToken({ ...CLAIMS, nonce: "abc", azp: CLIENT_ID }) },
        CLAIMS,
      ],
      ["an ID token of a user with non-ASCII letters", { id_token: unsignedIdToken(ZOE) }, ZOE],
      ["an ID token although the sign-in had none", { id_token: "whatever" }, undefined],
      ["no scope", { scope: undefined }, CLAIMS],
      ["the scope with its old names", { scope: `${OLD}:api:* ${OLD}:device:DEVICE1234` }, CLAIMS],
    ] as const) {
      it(what, async () => {
        issuer.tokens = members;
        const { fetch } = issuer.server;
        const session = new OidcSession({ ...signIn(ending()), idTokenClaims }, { fetch });

        expect(await session.accessToken()).to.equal("secret-access-1");
      });
    }
  });
});
