import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  LegacySession,
  OidcError,
  OidcFlowError,
  OidcSession,
  restoreSession,
  type BearerTokenResponse,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, inSequence, networkFailure } from "../../support/scripted-fetch.ts";
import { restoreStubs } from "../../support/stub.ts";
import { Clock, until } from "../../support/clock.ts";
import {
  CLAIMS,
  CLIENT_ID,
  DEVICE_ID,
  HOMESERVER,
  ISSUER,
  LIFE_S,
  NOT_BASE_URLS,
  RotatingIssuer,
  SCOPE,
  SPELLINGS_OF_HOMESERVER,
  TOKEN,
  WHOAMI,
  ending,
  json,
  recordEvents,
  newSession,
  signIn,
} from "./support.ts";

/** Whether a refresh waits a second, with a tolerance of a fifth, before its second attempt. */
const isBetweenAttempts = ({ pending }: Clock): boolean =>
  pending.some((ms) => ms >= 800 && ms <= 1200);

describe("A session", () => {
  let issuer: RotatingIssuer;

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });
  afterEach(restoreStubs);

  it("returns the user, the homeserver, and the token's expiry", () => {
    const result = signIn();
    const session = new OidcSession(result, { userId: "@alice:example" });

    expect(session.state).to.equal("signed-in");
    expect(session.user).to.deep.equal({
      userId: "@alice:example",
      deviceId: DEVICE_ID,
      idTokenClaims: CLAIMS,
    });
    expect(session.homeserverUrl).to.equal(HOMESERVER);
    expect(session.scope).to.equal(SCOPE);
    expect(session.oidcClientSettings).to.deep.equal({ clientId: CLIENT_ID, issuer: ISSUER });
    expect(session.expiresAt).to.equal(result.tokenResponse.expires_at);
  });

  describe("made from another library's tokens", () => {
    const result = signIn();
    const legacy = {
      homeserverUrl: HOMESERVER,
      userId: "@alice:example",
      deviceId: DEVICE_ID,
      accessToken: "secret-access",
    };
    const kept = { store: "localStorage" } as const;
    afterEach(() => localStorage.clear());

    /** Members with the names of a stored session's members. */
    const LIKE_A_RECORD = { id: "its own", version: 2, state: "soft-logout" };

    /** What such libraries leave out, add, or write in another way. */
    const READABLE: readonly (readonly [string, object])[] = [
      ["no scope", { scope: undefined }],
      ["a scope that is null", { scope: null }],
      ["no claims", { idTokenClaims: null }],
      ["a homeserver without a scheme, with a port", { homeserverUrl: "matrix.example:8448" }],
      ["no homeserver", { homeserverUrl: undefined }],
      [
        "an issuer without a scheme",
        { oidcClientSettings: { clientId: CLIENT_ID, issuer: "idp.example/" } },
      ],
      ["metadata without endpoints", { metadata: { issuer: ISSUER } }],
      [
        "members of tokens that are null",
        {
          tokenResponse: { access_token: "secret-access-0", refresh_token: null, expires_at: null },
        },
      ],
      [
        "a token that never expires",
        { tokenResponse: { access_token: "secret-access-0", expires_at: Infinity } },
      ],
      ["another record's ID, version, and state", LIKE_A_RECORD],
    ];
    for (const [what, members] of READABLE) {
      it(`is restored, with ${what}`, async () => {
        const session = new OidcSession({ ...result, ...members } as typeof result, kept);
        await session.stored;
        const restored = await OidcSession.restore(kept);
        expect(restored?.user).to.deep.equal(session.user);
        expect(restored?.homeserverUrl).to.equal(session.homeserverUrl);
        expect(restored?.expiresAt).to.equal(session.expiresAt);
        expect(restored?.oidcClientSettings).to.deep.equal({ clientId: CLIENT_ID, issuer: ISSUER });
        expect(await restored?.accessToken()).to.equal("secret-access-0");
        for (const each of [session, restored]) each?.close();
      });
    }

    for (const [what, make] of [
      ["no device ID", () => new OidcSession({ ...result, deviceId: "" }, kept)],
      ["a user ID that is none", () => new OidcSession(result, { ...kept, userId: "alice" })],
      [
        "no client ID",
        () =>
          new OidcSession(
            { ...result, oidcClientSettings: { clientId: "", issuer: ISSUER } },
            kept,
          ),
      ],
      [
        "no access token",
        () =>
          new OidcSession(
            { ...result, tokenResponse: { access_token: "", token_type: "Bearer" } },
            kept,
          ),
      ],
      ["no user ID, with the legacy API", () => new LegacySession({ ...legacy, userId: "" }, kept)],
      [
        "no device ID, with the legacy API",
        () => new LegacySession({ ...legacy, deviceId: "" }, kept),
      ],
      [
        "no homeserver, with the legacy API",
        () => new LegacySession({ ...legacy, homeserverUrl: "" }, kept),
      ],
      ...NOT_BASE_URLS.flatMap((homeserverUrl) => [
        [
          `the homeserver ${homeserverUrl}`,
          () => new OidcSession({ ...result, homeserverUrl }, kept),
        ] as const,
        [
          `the homeserver ${homeserverUrl}, with the legacy API`,
          () => new LegacySession({ ...legacy, homeserverUrl }, kept),
        ] as const,
      ]),
      ...["secret\n", "\nsecret", "sec ret", "s\u{E9}cret", "secret\u{0}"].flatMap((token) => [
        [
          `the access token ${JSON.stringify(token)}`,
          () =>
            new OidcSession(
              { ...result, tokenResponse: { access_token: token, token_type: "Bearer" } },
              kept,
            ),
        ] as const,
        [
          `the access token ${JSON.stringify(token)}, with the legacy API`,
          () => new LegacySession({ ...legacy, accessToken: token }, kept),
        ] as const,
      ]),
    ] as const) {
      it(`is rejected with ${what}, before anything is stored`, () => {
        expect(make).to.throw(OidcFlowError).with.property("code", "settings_invalid");
        expect(localStorage).to.have.length(0);
      });
    }

    for (const homeserverUrl of SPELLINGS_OF_HOMESERVER) {
      it(`has the homeserver ${JSON.stringify(homeserverUrl)} as browsers read it, also after a reload`, async () => {
        for (const session of [
          new OidcSession({ ...result, homeserverUrl }, kept),
          new LegacySession({ ...legacy, homeserverUrl }, kept),
        ]) {
          await session.stored;
          const restored = await restoreSession(kept);
          expect(session.homeserverUrl).to.equal(HOMESERVER);
          expect(restored?.homeserverUrl).to.equal(HOMESERVER);
          expect(new HomeserverClient({ baseUrl: homeserverUrl, session }).baseUrl).to.equal(
            HOMESERVER,
          );
          for (const each of [session, restored]) each?.close();
        }
      });
    }

    for (const [what, members] of [
      ["a token that never expires", { expiresAt: Infinity }],
      ["another record's ID, version, and state", LIKE_A_RECORD],
    ] as const) {
      it(`is restored with the legacy API, with ${what}`, async () => {
        const session = new LegacySession({ ...legacy, ...members }, kept);
        await session.stored;
        const restored = await restoreSession(kept);
        expect(restored?.homeserverUrl).to.equal(HOMESERVER);
        expect(restored?.expiresAt).to.equal(session.expiresAt);
        expect(await restored?.accessToken()).to.equal("secret-access");
        for (const each of [session, restored]) each?.close();
      });
    }
  });

  describe("returns its access token", () => {
    it("without a request while it is valid", async () => {
      expect(await newSession(issuer).accessToken()).to.equal("secret-access-0");
      expect(issuer.server.log).to.be.empty;
    });

    it("unchanged if its expiry is unknown", async () => {
      const { expires_at: _, ...tokens } = signIn().tokenResponse;
      const session = new OidcSession({ ...signIn(), tokenResponse: tokens });

      expect(await session.accessToken()).to.equal("secret-access-0");
    });

    it("unchanged if it can't be replaced, because the homeserver decides about it", async () => {
      const { refresh_token: _, ...tokens } = { ...signIn().tokenResponse, ...ending(-60) };
      const session = new OidcSession(
        { ...signIn(), tokenResponse: tokens },
        { fetch: issuer.server.fetch },
      );

      expect(await session.accessToken()).to.equal("secret-access-0");
      expect(issuer.server.log).to.be.empty;
    });
  });

  describe("gets a new access token", () => {
    it("for the refresh token, with one request that needs no preflight", async () => {
      expect(await newSession(issuer, ending()).accessToken()).to.equal("secret-access-1");

      const [request] = issuer.server.requests;
      expect(issuer.server.log).to.deep.equal([TOKEN]);
      expect(Object.fromEntries(new URLSearchParams(request?.body))).to.deep.equal({
        grant_type: "refresh_token",
        refresh_token: "secret-refresh-0",
        client_id: CLIENT_ID,
      });
      expect([...(request?.headers ?? [])]).to.deep.equal([
        ["accept", "application/json"],
        ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"],
      ]);
      expect(request).to.include({ credentials: "omit", redirect: "manual" });
    });

    it("once if the new one has a lifetime of 0", async () => {
      issuer.tokens = { expires_in: 0 };
      const session = newSession(issuer, ending());

      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(issuer.server.log).to.deep.equal([TOKEN]);
    });

    it("half a minute before the old one expires, and not earlier", async () => {
      const clock = new Clock();
      const tokenOf = (seconds: number): Promise<string> =>
        clock.passUntil(newSession(issuer, ending(seconds)).accessToken());

      expect(await tokenOf(31)).to.equal("secret-access-0");
      expect(await tokenOf(29)).to.equal("secret-access-1");
    });

    it("after half its lifetime if that is short", async () => {
      const clock = new Clock();
      const tokenOf = (seconds: number): Promise<string> =>
        clock.passUntil(newSession(issuer, { expires_in: 10, ...ending(seconds) }).accessToken());

      expect(await tokenOf(6)).to.equal("secret-access-0");
      expect(await tokenOf(4)).to.equal("secret-access-1");
    });

    it("half a minute before it expires if its lifetime is unknown", async () => {
      const { expires_in: _, ...tokens } = { ...signIn().tokenResponse, ...ending(28) };
      const session = new OidcSession(
        { ...signIn(), tokenResponse: tokens },
        { fetch: issuer.server.fetch },
      );

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("if the clock was set back, because the old one's age is unknown", async () => {
      const clock = new Clock();
      const session = newSession(issuer);
      clock.jump(-3_600_000);

      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("after the laptop has slept", async () => {
      const clock = new Clock();
      const session = newSession(issuer);
      clock.jump(12 * 3_600_000);

      expect(await session.accessToken()).to.equal("secret-access-1");
    });

    it("whose lifetime starts at its request, regardless of the time until the response", async () => {
      const clock = new Clock();
      const token = issuer.hold();
      const session = newSession(issuer, ending());
      const asked = Math.floor(Date.now() / 1000);
      const got = session.accessToken();
      await token.asked;
      clock.jump(20_000);
      token.release();
      await got;

      expect(session.expiresAt).to.equal(asked + LIFE_S);
    });

    it("once, even if many calls need it at the same time", async () => {
      const session = newSession(issuer, ending());

      const tokens = await Promise.all([
        session.accessToken(),
        session.accessToken(),
        session.refresh(),
      ]);

      expect(new Set(tokens)).to.deep.equal(new Set(["secret-access-1"]));
      expect(issuer.server.log).to.deep.equal([TOKEN]);
    });

    it("repeatedly, each time for the newest refresh token", async () => {
      const session = newSession(issuer);

      for (const token of ["secret-access-1", "secret-access-2", "secret-access-3"]) {
        expect(await session.refresh()).to.equal(token);
      }
      expect(issuer.received).to.deep.equal([
        "secret-refresh-0",
        "secret-refresh-1",
        "secret-refresh-2",
      ]);
    });

    it("with the old refresh token if the issuer sends no new one", async () => {
      issuer.server.routes[TOKEN] = json({ access_token: "other", token_type: "Bearer" });
      const session = newSession(issuer, ending());

      await session.accessToken();
      await session.refresh();

      expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
    });

    it("on request, even if the old one is valid", async () => {
      expect(await newSession(issuer).refresh()).to.equal("secret-access-1");
    });

    it("and notifies its listeners, with the new expiry readable", async () => {
      const session = newSession(issuer, ending());
      const events = recordEvents(session);
      const old = session.expiresAt;

      await session.accessToken();

      expect(events).to.deep.equal([{ type: "session-changed" }]);
      expect(session.expiresAt).to.be.above(old ?? 0);
    });

    it("from the endpoint in the issuer's document, if the sign-in's result contains none", async () => {
      const { metadata, ...result } = signIn(ending());
      issuer.server.routes[`GET ${ISSUER}.well-known/openid-configuration`] = json({
        ...metadata,
        authorization_endpoint: `${ISSUER}authorize`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
      const session = new OidcSession(result, { fetch: issuer.server.fetch });

      expect(await session.accessToken()).to.equal("secret-access-1");
      expect(await session.refresh()).to.equal("secret-access-2");
      // The document is requested once, and then cached.
      expect(issuer.server.log.filter((request) => request.includes("well-known"))).to.have.length(
        1,
      );
    });
  });

  describe("is used by a HomeserverClient", () => {
    it("as the source of its token", async () => {
      const session = newSession(issuer, ending());
      const { fetch } = issuer.server;
      const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session, fetch });

      expect(await client.whoami()).to.deep.equal({ user_id: "@alice:example" });
      expect(issuer.server.log).to.deep.equal([TOKEN, `GET ${WHOAMI}`]);
    });
  });

  describe("lets waiting callers abort:", () => {
    it("one aborts, and the others get the token", async () => {
      const token = issuer.hold();
      const session = newSession(issuer, ending());
      const controller = new AbortController();
      const leaving = rejectionOf(session.accessToken({ signal: controller.signal }));
      const staying = session.accessToken();
      await token.asked;
      controller.abort();
      token.release();

      expect(await leaving).to.include({ message: OidcError.RefreshTokenFailed, code: "aborted" });
      expect(await staying).to.equal("secret-access-1");
      expect(issuer.server.log).to.deep.equal([TOKEN]);
    });

    it("one aborts between two attempts, and the others get the token of the next attempt", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = inSequence(networkFailure, issuer.refresh);
      const session = newSession(issuer, ending());
      const controller = new AbortController();
      const leaving = rejectionOf(session.accessToken({ signal: controller.signal }));
      const staying = session.accessToken();
      await until(() => isBetweenAttempts(clock));
      controller.abort();
      await leaving;

      expect(await clock.passUntil(staying)).to.equal("secret-access-1");
    });

    it("all abort during a request, whose tokens are kept even so", async () => {
      const token = issuer.hold();
      const session = newSession(issuer, ending());
      const events = recordEvents(session);
      const controller = new AbortController();
      const leaving = rejectionOf(session.accessToken({ signal: controller.signal }));
      await token.asked;
      controller.abort();
      await leaving;
      const next = session.accessToken();
      token.release();

      expect(await next).to.equal("secret-access-1");
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
      expect(events).to.deep.equal([{ type: "session-changed" }]);
    });

    it("all abort during a request that fails, and a later caller still gets a result", async () => {
      const clock = new Clock();
      const lost = held(networkFailure);
      issuer.server.routes[TOKEN] = inSequence(lost.respond, issuer.refresh);
      const session = newSession(issuer, ending());
      const controller = new AbortController();
      const leaving = rejectionOf(session.accessToken({ signal: controller.signal }));
      await lost.asked;
      controller.abort();
      await leaving;
      const next = session.accessToken();
      lost.release();

      expect(await clock.passUntil(next)).to.equal("secret-access-1");
    });

    it("all abort between two attempts, and no further request is sent", async () => {
      const clock = new Clock();
      issuer.server.routes[TOKEN] = networkFailure;
      const session = newSession(issuer, ending());
      const controller = new AbortController();
      const leaving = rejectionOf(session.accessToken({ signal: controller.signal }));
      await until(() => isBetweenAttempts(clock));
      controller.abort();

      expect(await leaving).to.include({ code: "aborted" });
      await until(() => clock.pending.length === 0);
      expect(issuer.received).to.have.length(1);
    });

    it("a caller that has already aborted sends nothing", async () => {
      const session = newSession(issuer, ending());

      await expectFlowError(
        session.accessToken({ signal: AbortSignal.abort() }),
        OidcError.RefreshTokenFailed,
        "aborted",
      );
      expect(issuer.server.log).to.be.empty;
    });
  });

  it("has the scope of the sign-in, and keeps no ID token", async () => {
    const tokens: BearerTokenResponse = { ...signIn().tokenResponse, id_token: "secret-id-token" };
    const written: string[] = [];
    const session = new OidcSession(
      { ...signIn(), tokenResponse: tokens },
      {
        store: {
          getItem: () => written.at(-1),
          setItem: (_, value) => written.push(value),
          removeItem: () => undefined,
        },
      },
    );
    await session.stored;
    session.close();

    expect(written.join()).to.include(SCOPE).and.not.to.include("secret-id-token");
  });
});
