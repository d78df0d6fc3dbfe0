import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  LegacySession,
  OidcError,
  OidcSession,
  hasSession,
  listSessions,
  restoreSession,
  type LegacyLoginResult,
  type OidcErrorCode,
  type SessionOptions,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import { ScriptedFetch, html, json, type Responder } from "../../support/scripted-fetch.ts";
import { stub } from "../../support/stub.ts";
import { Clock } from "../../support/clock.ts";
import {
  HOMESERVER,
  WHOAMI,
  recordEvents,
  signIn as oauthSignIn,
  useEmptyStores,
} from "./support.ts";

const API = `${HOMESERVER}/_matrix/client/v3`;
const REFRESH = `POST ${API}/refresh`;
const LOGOUT = `POST ${API}/logout`;
const UNKNOWN = { errcode: "M_UNKNOWN_TOKEN", error: "Unknown" };
const LIFE_MS = 300_000;
const KEY = "matrix-auth-elements:session";
const PERSISTED: SessionOptions = { store: "localStorage" };

const signIn = (more: Partial<LegacyLoginResult> = {}): LegacyLoginResult => ({
  homeserverUrl: HOMESERVER,
  userId: "@alice:example",
  deviceId: "DEVICE",
  accessToken: "secret-access-0",
  refreshToken: "secret-refresh-0",
  expiresAt: (Date.now() + LIFE_MS) / 1000,
  ...more,
});

/** A token without a refresh token that never expires. */
const FOR_EVER = { refreshToken: undefined, expiresAt: undefined } as unknown as LegacyLoginResult;

/** A homeserver that accepts each refresh token once, and only the newest access token. */
class RotatingHomeserver extends ScriptedFetch {
  generation = 0;

  constructor() {
    super();
    const known = (headers: Headers): boolean =>
      headers.get("Authorization") === `Bearer secret-access-${this.generation}`;
    this.routes = {
      [REFRESH]: ({ body }) => {
        const { refresh_token } = JSON.parse(body) as { refresh_token: string };
        if (refresh_token !== `secret-refresh-${this.generation}`) {
          return Response.json(UNKNOWN, { status: 401 });
        }
        this.generation += 1;
        return Response.json({
          access_token: `secret-access-${this.generation}`,
          refresh_token: `secret-refresh-${this.generation}`,
          expires_in_ms: LIFE_MS,
        });
      },
      [LOGOUT]: ({ headers }) =>
        known(headers) ? Response.json({}) : Response.json(UNKNOWN, { status: 401 }),
      [`GET ${WHOAMI}`]: ({ headers }) =>
        known(headers)
          ? Response.json({ user_id: "@alice:example" })
          : Response.json(UNKNOWN, { status: 401 }),
    };
  }

  /** The requests, without the homeserver's URL. */
  get paths(): readonly string[] {
    return this.log.map((line) => line.replace(API, ""));
  }
}

describe("LegacySession", () => {
  let homeserver: RotatingHomeserver;
  const keep = useEmptyStores();

  const newSession = (
    more?: Partial<LegacyLoginResult>,
    options: SessionOptions = {},
  ): LegacySession =>
    keep(new LegacySession(signIn(more), { fetch: homeserver.fetch, ...options }));

  const restore = async (): Promise<LegacySession> =>
    keep((await restoreSession({ ...PERSISTED, fetch: homeserver.fetch })) as LegacySession);

  beforeEach(() => {
    homeserver = new RotatingHomeserver();
  });

  it("returns the user, the homeserver, and the sign-in method", () => {
    const session = newSession();

    expect(session.user).to.deep.equal({ userId: "@alice:example", deviceId: "DEVICE" });
    expect([session.kind, session.key, session.state]).to.deep.equal(["legacy", KEY, "signed-in"]);
    expect(session.homeserverUrl).to.equal(HOMESERVER);
    expect(session.expiresAt).to.be.closeTo((Date.now() + LIFE_MS) / 1000, 60);
  });

  it("never refreshes a token that doesn't expire", async () => {
    const session = newSession(FOR_EVER);

    expect(await session.accessToken()).to.equal("secret-access-0");
    expect(await rejectionOf(session.refresh())).to.include({ code: "refresh_not_possible" });
    expect(session.state).to.equal("signed-in");
    expect(homeserver.log).to.be.empty;
  });

  it("refreshes once for all tabs, and is restored by the next page", async () => {
    const first = newSession({ expiresAt: 1 }, PERSISTED);
    await first.stored;
    const second = await restore();

    const tokens = await Promise.all([first.accessToken(), second.accessToken()]);
    expect(tokens).to.deep.equal(["secret-access-1", "secret-access-1"]);
    expect(homeserver.paths).to.deep.equal(["POST /refresh"]);
    const third = await restore();
    expect(await third.accessToken()).to.equal("secret-access-1");
    expect(third.expiresAt).to.be.closeTo((Date.now() + LIFE_MS) / 1000, 60);
    expect(homeserver.log).to.have.length(1);
  });

  it("keeps the refresh token if the homeserver sends no new one", async () => {
    homeserver.routes[REFRESH] = json({ access_token: "secret-access-1" });
    const session = newSession({ expiresAt: 1 });
    await session.accessToken();
    await session.refresh();

    const bodies = homeserver.requests.map(({ body }) => body);
    expect(bodies).to.deep.equal(Array(2).fill('{"refresh_token":"secret-refresh-0"}'));
    expect(session.expiresAt).to.be.undefined;
  });

  it("refreshes once if the new token has a lifetime of 0", async () => {
    homeserver.routes[REFRESH] = json({ access_token: "secret-access-1", expires_in_ms: 0 });
    const session = newSession({ expiresAt: 1 });

    expect(await session.accessToken()).to.equal("secret-access-1");
    expect(await session.accessToken()).to.equal("secret-access-1");
    expect(homeserver.paths).to.deep.equal(["POST /refresh"]);
  });

  it("replaces a token that the homeserver rejects, and sends the request again", async () => {
    homeserver.generation = 1;
    homeserver.routes[REFRESH] = json({ access_token: "secret-access-1", expires_in_ms: LIFE_MS });
    const session = newSession();

    expect((await session.fetch(WHOAMI)).status).to.equal(200);
    const client = new HomeserverClient({ baseUrl: HOMESERVER, session, ...homeserver });
    expect(await client.whoami()).to.include({ user_id: "@alice:example" });
  });

  for (const [what, respond, state] of [
    ["401 M_UNKNOWN_TOKEN", json(UNKNOWN, 401), "signed-out"],
    [
      "401 M_UNKNOWN_TOKEN that is soft",
      json({ ...UNKNOWN, soft_logout: true }, 401),
      "soft-logout",
    ],
    ["403 M_FORBIDDEN", json({ errcode: "M_FORBIDDEN" }, 403), "signed-out"],
    ["403 M_USER_DEACTIVATED", json({ errcode: "M_USER_DEACTIVATED" }, 403), "signed-out"],
  ] as const) {
    it(`ends if the refresh token is rejected with ${what}: ${state}`, async () => {
      homeserver.routes[REFRESH] = respond;
      const session = newSession({ expiresAt: 1 }, PERSISTED);
      await session.stored;
      const events = recordEvents(session);

      expect(await rejectionOf(session.accessToken())).to.include({ code: "session_ended" });
      const softLogout = state === "soft-logout";
      expect(events).to.deep.equal([{ type: "session-ended", softLogout, reason: "refused" }]);
      expect(session.state).to.equal(state);
      expect(localStorage.getItem(KEY) ?? "").not.to.contain("secret");
      expect(session.user).to.deep.equal({ userId: "@alice:example", deviceId: "DEVICE" });
    });
  }

  const failures: readonly (readonly [string, OidcErrorCode, Responder | undefined])[] = [
    [
      "M_USER_LOCKED",
      "token_request_refused",
      json({ errcode: "M_USER_LOCKED", soft_logout: true }, 401),
    ],
    ["404", "token_request_refused", json({ errcode: "M_UNRECOGNIZED" }, 404)],
    ["429", "rate_limited", json({ errcode: "M_LIMIT_EXCEEDED" }, 429)],
    ["502", "server_error", html(502)],
    ["a page with status 403", "token_request_refused", html(403)],
    ["no response", "network_error", undefined],
    ["a page", "response_not_json", html()],
    ["a redirect", "unexpected_redirect", () => Response.redirect("https://elsewhere.example/")],
    ["no token", "token_response_invalid", json({})],
  ];
  for (const [what, code, respond] of failures) {
    it(`continues after a refresh failed with ${what}`, async () => {
      const clock = new Clock();
      if (respond) homeserver.routes[REFRESH] = respond;
      else delete homeserver.routes[REFRESH];
      const session = newSession({ expiresAt: 1 });

      const error = await clock.passUntil(rejectionOf(session.accessToken()));
      expect(error).to.include({ message: OidcError.RefreshTokenFailed, code });
      expect(session.state).to.equal("signed-in");
      expect((error as Error).message + String((error as Error).cause)).not.to.contain("secret");
      expect(homeserver.log.filter((line) => line.includes("elsewhere"))).to.be.empty;
    });
  }

  for (const [status, body, state] of [
    [404, { errcode: "M_UNRECOGNIZED" }, "soft-logout"],
    [405, { errcode: "M_UNRECOGNIZED" }, "soft-logout"],
    [400, { errcode: "M_UNKNOWN" }, "soft-logout"],
    [403, { errcode: "M_UNKNOWN_TOKEN" }, "soft-logout"],
    [403, { errcode: "M_UNKNOWN" }, "signed-in"],
    [401, { errcode: "M_USER_LOCKED" }, "signed-in"],
    [502, {}, "signed-in"],
  ] as const) {
    it(`is ${state} after three refreshes with HTTP ${status} and ${JSON.stringify(body)}, with a token that the homeserver doesn't know`, async () => {
      const clock = new Clock();
      homeserver.routes[REFRESH] = json(body, status);
      homeserver.generation = 1;
      const session = newSession({ expiresAt: 1 });
      for (let refusals = 0; refusals < 3; refusals += 1) {
        await clock.passUntil(rejectionOf(session.accessToken()));
        clock.jump(60_000);
      }

      expect(session.state).to.equal(state);
    });
  }

  for (const [what, soft_logout, state] of [
    ["for good", false, "signed-out"],
    ["softly", true, "soft-logout"],
  ] as const) {
    it(`ends ${what} if the homeserver rejects a token that never expires`, async () => {
      homeserver.routes[`GET ${WHOAMI}`] = json({ ...UNKNOWN, soft_logout }, 401);
      const session = newSession(FOR_EVER, PERSISTED);
      await session.stored;

      expect((await session.fetch(WHOAMI)).status).to.equal(401);
      expect(session.state).to.equal(state);
      expect((await restoreSession(PERSISTED))?.state).to.equal(soft_logout ? state : undefined);
    });
  }

  it("is removed if the user signs out after a soft logout", async () => {
    homeserver.routes[`GET ${WHOAMI}`] = json({ ...UNKNOWN, soft_logout: true }, 401);
    const session = newSession(FOR_EVER, PERSISTED);
    await session.stored;
    await session.fetch(WHOAMI);
    const restored = await restoreSession(PERSISTED);
    if (restored?.state !== "soft-logout") throw new Error("not after a soft logout");
    const events = recordEvents(restored);

    expect(await restored.signOut()).to.be.false;
    expect(restored.state).to.equal("signed-out");
    expect(events).to.deep.equal([
      { type: "session-ended", softLogout: false, reason: "signed-out" },
    ]);
    expect(await restoreSession(PERSISTED)).to.be.undefined;
    expect(homeserver.log.filter((line) => line === LOGOUT)).to.be.empty;
  });

  it("deletes its tokens everywhere before the homeserver signs it out", async () => {
    const session = newSession({}, PERSISTED);
    await session.stored;
    homeserver.routes[LOGOUT] = ({ headers }) => {
      expect(localStorage.getItem(KEY)).to.be.null;
      expect(headers.get("Authorization")).to.equal("Bearer secret-access-0");
      return Response.json({});
    };

    expect(await session.signOut()).to.be.true;
    expect(await session.signOut()).to.be.false;
    expect(homeserver.paths).to.deep.equal(["POST /logout"]);
  });

  for (const [what, more, paths, isSignedOut] of [
    [
      "with a new token where its own has expired",
      { expiresAt: 1 },
      ["POST /refresh", "POST /logout"],
      true,
    ],
    ["and succeeds if the homeserver has removed it", { accessToken: "x" }, ["POST /logout"], true],
    [
      "and reports a homeserver that cannot be reached",
      { homeserverUrl: "https://gone.example" },
      // The second one ends with the page.
      Array(2).fill("POST https://gone.example/_matrix/client/v3/logout"),
      false,
    ],
  ] as const) {
    it(`signs out ${what}`, async () => {
      expect(await newSession(more).signOut()).to.equal(isSignedOut);
      expect(homeserver.paths).to.deep.equal(paths);
    });
  }

  for (const [what, expiresAt] of [
    ["has expired", 1],
    ["has expired, although the clock disagrees,", Date.now() / 1000 + 3600],
  ] as const) {
    it(`is not signed out with a token that ${what} and cannot be replaced`, async () => {
      homeserver.routes[REFRESH] = html(502);
      homeserver.routes[LOGOUT] = json({ ...UNKNOWN, soft_logout: true }, 401);

      expect(await newSession({ expiresAt }).signOut()).to.be.false;
    });
  }

  for (const [what, response] of [
    ["HTTP 403 says that the token is unknown", json(UNKNOWN, 403)],
    ["a page has status 200", html(200)],
    ["a response with status 200 is empty", () => new Response()],
  ] as const) {
    it(`is not signed out if ${what}`, async () => {
      homeserver.routes[LOGOUT] = response;

      expect(await newSession().signOut()).to.be.false;
      expect(homeserver.paths).to.deep.equal(["POST /logout"]);
    });
  }

  it("signs out with a new token if its own has expired, although the clock disagrees", async () => {
    const logOut = homeserver.routes[LOGOUT] as Responder;
    homeserver.routes[LOGOUT] = (request) =>
      homeserver.generation > 0
        ? logOut(request)
        : Response.json({ ...UNKNOWN, soft_logout: true }, { status: 401 });

    expect(await newSession().signOut()).to.be.true;
    expect(homeserver.paths).to.deep.equal(["POST /logout", "POST /refresh", "POST /logout"]);
  });

  it("signs out with its expired token if it can't get a new one", async () => {
    homeserver.routes[REFRESH] = html(502);
    expect(await newSession({ expiresAt: 1 }).signOut()).to.be.true;
    expect(homeserver.paths).to.deep.equal(["POST /refresh", "POST /logout"]);
  });

  it("revokes the tokens that it replaces, unless they belong to the same device", async () => {
    await newSession({}, PERSISTED).stored;
    await newSession({ accessToken: "secret-of-same-device" }, PERSISTED).stored;
    expect(homeserver.log).to.be.empty;

    await newSession({ deviceId: "OTHER" }, PERSISTED).stored;
    expect(homeserver.paths).to.deep.equal(["POST /logout"]);
    const token = homeserver.requests[0]?.headers.get("Authorization");
    expect(token).to.equal("Bearer secret-of-same-device");
  });

  it("ends in the other tab if a user replaces it with an OAuth 2.0 sign-in", async () => {
    const session = newSession({}, PERSISTED);
    await session.stored;
    const ended = new Promise((resolve) => session.addEventListener("session-ended", resolve));
    const other = new OidcSession(oauthSignIn(), { ...PERSISTED, fetch: homeserver.fetch });
    await other.stored;

    expect(((await ended) as CustomEvent).detail).to.deep.equal({
      softLogout: false,
      reason: "replaced",
    });
    other.close();
  });
});

describe("restoreSession, hasSession and listSessions", () => {
  useEmptyStores();

  /** Two accounts, and other data of the page. */
  async function fill(): Promise<void> {
    localStorage.setItem("theme", "dark");
    localStorage.setItem("numbers", "[1]");
    const user = { userId: "@alice:example" };
    const oauth = new OidcSession(oauthSignIn(), { ...PERSISTED, key: "work", ...user });
    const legacy = new LegacySession(signIn(), { ...PERSISTED, key: "home" });
    await Promise.all([oauth.stored, legacy.stored]);
    for (const session of [oauth, legacy]) session.close();
  }

  it("restore each kind without a request: user, device, and homeserver", async () => {
    await fill();
    const fetch = (): never => expect.fail("a request");
    for (const [key, kind, deviceId] of [
      ["work", "oauth", "DEVICE1234"],
      ["home", "legacy", "DEVICE"],
    ] as const) {
      const session = await restoreSession({ ...PERSISTED, key, fetch });
      expect([session?.kind, session?.key, session?.state]).to.deep.equal([kind, key, "signed-in"]);
      expect(session?.user).to.include({ userId: "@alice:example", deviceId });
      expect(session?.homeserverUrl).to.equal(HOMESERVER);
      session?.close();
    }
    expect(await restoreSession({ ...PERSISTED, key: "theme" })).to.be.undefined;
    expect(await OidcSession.restore({ ...PERSISTED, key: "home" })).to.be.undefined;
  });

  it("list the sessions of a store, without their tokens", async () => {
    await fill();
    const sessions = await listSessions(PERSISTED);

    expect(new Set(sessions.map(({ key }) => key))).to.deep.equal(new Set(["work", "home"]));
    expect(sessions.find(({ key }) => key === "home")).to.deep.equal({
      key: "home",
      kind: "legacy",
      state: "signed-in",
      userId: "@alice:example",
      deviceId: "DEVICE",
      homeserverUrl: HOMESERVER,
    });
    expect(JSON.stringify(sessions)).not.to.contain("secret");
    expect(await listSessions({ store: "memory" })).to.be.empty;
  });

  it("list the sessions of a custom store by its keys, even if one item can't be read, and report a store without keys", async () => {
    await fill();
    const store = {
      getItem: async (key: string) => Promise.resolve(localStorage.getItem(key)),
      setItem: () => undefined,
      removeItem: () => undefined,
    };
    const keys = async (): Promise<readonly string[]> => Promise.resolve(["home"]);

    expect(await listSessions({ store: { ...store, keys } })).to.have.length(1);
    const failing = async (key: string): Promise<string | null> =>
      key === "home" ? store.getItem(key) : Promise.reject(new Error("broken"));
    const list = async (...keys: string[]): Promise<readonly unknown[]> =>
      listSessions({ store: { ...store, getItem: failing, keys: () => keys } });
    expect(await list("work", "home")).to.have.length(1);
    expect(await rejectionOf(list("work"))).to.include({ code: "storage_unavailable" });
    expect(await rejectionOf(listSessions({ store }))).to.include({ code: "store_not_listable" });
    expect(() => hasSession({ store }))
      .to.throw()
      .with.property("code", "store_not_synchronous");
  });

  it("report synchronously whether a user is signed in", async () => {
    expect(hasSession({ ...PERSISTED, key: "home" })).to.be.false;
    await fill();
    expect(hasSession({ ...PERSISTED, key: "home" })).to.be.true;
    expect(hasSession({ ...PERSISTED, key: "theme" })).to.be.false;
    const record = JSON.parse(localStorage.getItem("home") ?? "") as object;
    localStorage.setItem("home", JSON.stringify({ ...record, state: "soft-logout" }));
    expect(hasSession({ ...PERSISTED, key: "home" })).to.be.false;
    expect(await listSessions(PERSISTED)).to.have.length(2);
  });

  it("throw StorageUnavailable if the browser blocks the store", async () => {
    stub(globalThis, "localStorage", {
      get: () => {
        throw new DOMException("", "SecurityError");
      },
    });
    expect(() => hasSession(PERSISTED))
      .to.throw()
      .with.property("code", "storage_unavailable");
    for (const call of [restoreSession(PERSISTED), listSessions(PERSISTED)]) {
      expect(await rejectionOf(call)).to.include({ code: "storage_unavailable" });
    }
  });
});
