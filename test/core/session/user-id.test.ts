import { expect } from "@open-wc/testing";
import {
  OidcSession,
  listSessions,
  type OidcSessionOptions,
  type SessionStoreName,
} from "matrix-auth-elements/core";
import { held, html, networkFailure, redirectTo } from "../../support/scripted-fetch.ts";
import { breathe, until } from "../../support/clock.ts";
import {
  DEVICE_ID,
  RotatingIssuer,
  TOKEN,
  USER_ID,
  WHOAMI,
  ending,
  json,
  newSession,
  recordEvents,
  restoredSession,
  useEmptyStores,
} from "./support.ts";

const KEY = "matrix-auth-elements:session";

describe("A session that is stored without a user ID, because its page was left early,", () => {
  let issuer: RotatingIssuer;
  const keep = useEmptyStores();
  const restore = async (options?: OidcSessionOptions): Promise<OidcSession> =>
    keep(await restoredSession(issuer, options));

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });

  const later = (): Promise<unknown> => breathe().then(breathe);
  /** A user signs in, and the page is left immediately. */
  const leave = async (
    tokens: Parameters<typeof newSession>[1] = {},
    options: OidcSessionOptions = {},
  ): Promise<void> => {
    const all = { store: "localStorage", userId: undefined, ...options } as const;
    const first = keep(newSession(issuer, tokens, all));
    await first.stored;
    first.close();
  };

  const stores: readonly SessionStoreName[] = ["localStorage", "sessionStorage", "indexedDB"];
  for (const store of stores) {
    it(`requests it once, and keeps it for later use offline (${store})`, async () => {
      await leave({}, { store });
      const session = await restore({ store });
      const events = recordEvents(session);
      expect(session.user.userId).to.be.undefined;
      await until(() => events.length);

      expect(events).to.deep.equal([{ type: "session-changed" }]);
      expect(session.user.userId).to.equal(USER_ID);
      expect(await session.accessToken()).to.equal("secret-access-0");
      session.close();
      issuer.server.routes = {};
      const offline = await restore({ store });
      expect(offline.user).to.include({ userId: USER_ID, deviceId: DEVICE_ID });
      expect((await listSessions({ store }))[0]?.userId).to.equal(USER_ID);
      expect(issuer.server.log).to.deep.equal([`GET ${WHOAMI}`]);
    });
  }

  for (const [what, respond] of Object.entries({
    "is offline": networkFailure,
    "gets its token rejected": json({ errcode: "M_UNKNOWN_TOKEN", error: "Unknown" }, 401),
    "meets a locked account": json({ errcode: "M_USER_LOCKED", soft_logout: true }, 401),
    "meets a homeserver that fails": json({}, 500),
    "meets a proxy's page": html(),
    "is sent elsewhere": redirectTo("https://elsewhere.example/"),
    "hears of no user": json({ device_id: DEVICE_ID }),
    "hears of a user without a name": json({ user_id: "" }),
  })) {
    it(`has no user ID if it ${what}, and requests it again with the next token`, async () => {
      const good = issuer.server.routes[`GET ${WHOAMI}`];
      issuer.server.routes[`GET ${WHOAMI}`] = respond;
      await leave();
      const stored = localStorage.getItem(KEY);
      const session = await restore();
      const events = recordEvents(session);
      await until(() => issuer.server.log.length);
      await later();
      expect(session.state).to.equal("signed-in");
      expect(localStorage.getItem(KEY)).to.equal(stored);
      expect(events).to.be.empty;

      if (good) issuer.server.routes[`GET ${WHOAMI}`] = good;
      await session.refresh();
      await until(() => session.user.userId);
      const changed = { type: "session-changed" };
      expect(events).to.deep.equal([changed, changed]);
      const asked = `GET ${WHOAMI}`;
      expect(issuer.server.log).to.deep.equal([asked, TOKEN, asked]);
    });
  }

  for (const [what, tokens, options] of [
    ["with an expired token, before the page needs another", ending(), {}],
    ["if the caller passes it", {}, { userId: USER_ID }],
  ] as const) {
    it(`is not requested ${what}`, async () => {
      await leave(tokens);
      const session = await restore(options);
      await later();

      expect(issuer.server.log).to.be.empty;
      expect(session.user.userId).to.equal(options.userId);
    });
  }

  it("is not requested after a soft logout, or after a sign-in with only an issuer", async () => {
    await leave();
    const first = await restore();
    await until(() => first.user.userId);
    for (const record of [{ state: "soft-logout" }, { homeserverUrl: "" }]) {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "") as object;
      localStorage.setItem("other", JSON.stringify({ ...stored, userId: undefined, ...record }));
      expect((await restore({ key: "other" })).user.userId).to.be.undefined;
    }
    await later();

    expect(issuer.server.log).to.have.length(1);
  });

  it("arrives even if the token was replaced during the request", async () => {
    const refused = held(json({ errcode: "M_UNKNOWN_TOKEN" }, 401));
    const good = issuer.server.routes[`GET ${WHOAMI}`];
    issuer.server.routes[`GET ${WHOAMI}`] = refused.respond;
    await leave();
    const session = await restore();
    await refused.asked;
    if (good) issuer.server.routes[`GET ${WHOAMI}`] = good;
    const events = recordEvents(session);
    await session.refresh();
    expect(issuer.server.requests[0]?.signal.aborted, "one request at a time").to.be.true;
    refused.release();
    await until(() => session.user.userId);

    const changed = { type: "session-changed" };
    expect(events).to.deep.equal([changed, changed]);
  });

  it("is not requested after close()", async () => {
    const response = held(json({ user_id: USER_ID }));
    issuer.server.routes[`GET ${WHOAMI}`] = response.respond;
    await leave();
    const session = await restore();
    await response.asked;
    const stored = localStorage.getItem(KEY);
    session.close();
    expect(issuer.server.requests[0]?.signal.aborted).to.be.true;
    response.release();
    await later();

    expect(localStorage.getItem(KEY)).to.equal(stored);
    expect(session.user.userId).to.be.undefined;
  });

  it("ignores a response that arrives after its user has signed out", async () => {
    const response = held(json({ user_id: USER_ID }));
    issuer.server.routes[`GET ${WHOAMI}`] = response.respond;
    await leave();
    const session = await restore();
    await response.asked;
    await session.signOut();
    response.release();
    await later();

    expect(localStorage.getItem(KEY)).to.be.null;
    expect(session.user.userId).to.be.undefined;
  });
});
