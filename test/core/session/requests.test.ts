import { expect } from "@open-wc/testing";
import { HomeserverClient, MatrixError, OidcError, OidcSession } from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, inSequence, networkFailure, never, text } from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { Clock, until } from "../../support/clock.ts";
import {
  HOMESERVER,
  RotatingIssuer,
  TOKEN,
  WHOAMI,
  ending,
  json,
  recordEvents,
  newSession,
  signIn,
} from "./support.ts";

const UNKNOWN = { errcode: "M_UNKNOWN_TOKEN", error: "Unknown" };

describe("A request", () => {
  let issuer: RotatingIssuer;
  let session: OidcSession;

  beforeEach(() => {
    issuer = new RotatingIssuer();
    session = newSession(issuer);
  });
  afterEach(restoreStubs);

  /** The `Authorization` header of each request that was not for the issuer. */
  const sent = (): readonly (string | null)[] =>
    issuer.server.requests
      .filter(({ url }) => !url.includes("idp.example"))
      .map(({ headers }) => headers.get("Authorization"));
  /** The homeserver removes every token except the newest. */
  const forgetToken = (): void => void (issuer.generation = 1);
  const issueNext = (): void => {
    // The session has the current refresh token, but not the current access token.
    issuer.server.routes[TOKEN] = () => {
      issuer.generation += 1;
      const { accessToken, refreshToken } = issuer;
      const tokens = { access_token: accessToken, refresh_token: refreshToken };
      return Response.json({ ...tokens, token_type: "Bearer", expires_in: 300 });
    };
  };

  describe("through the session's fetch", () => {
    it("to the homeserver has the token", async () => {
      const response = await session.fetch(WHOAMI);

      expect(await response.json()).to.deep.equal({ user_id: "@alice:example" });
      expect(sent()).to.deep.equal(["Bearer secret-access-0"]);
    });

    it("has the new token if the old one is about to expire", async () => {
      session = newSession(issuer, ending());
      await session.fetch(WHOAMI);

      expect(sent()).to.deep.equal(["Bearer secret-access-1"]);
    });

    it("keeps the caller's other options", async () => {
      issuer.server.routes[`PUT ${HOMESERVER}/x`] = json({});
      await session.fetch(`${HOMESERVER}/x`, {
        method: "PUT",
        headers: { "X-Test": "1" },
        credentials: "include",
        body: "{}",
      });

      const [request] = issuer.server.requests;
      expect(request?.headers.get("X-Test")).to.equal("1");
      expect(request).to.include({ method: "PUT", credentials: "include" });
    });

    it("can be a URL or a Request, and the function can be detached from the session", async () => {
      const { fetch } = session;
      await fetch(new URL(WHOAMI));
      await fetch(new Request(WHOAMI));

      expect(sent()).to.deep.equal(["Bearer secret-access-0", "Bearer secret-access-0"]);
    });

    it("uses the page's fetch by default", async () => {
      stub(globalThis, "fetch", { value: issuer.server.fetch });
      await new OidcSession(signIn()).fetch(WHOAMI);

      expect(sent()).to.deep.equal(["Bearer secret-access-0"]);
    });

    it("is sent again with a new token, including its body, if the old token is rejected", async () => {
      forgetToken();
      issueNext();
      const bodies: string[] = [];
      const { fetch } = new OidcSession(signIn(), {
        fetch: async (input, init) => {
          if (!(input instanceof Request)) return issuer.server.fetch(input, init);
          bodies.push(await input.text());
          return issuer.server.fetch(input.url, { headers: input.headers });
        },
      });
      const response = await fetch(WHOAMI, { method: "POST", body: "the body" });

      expect(response.status).to.equal(200);
      expect(sent()).to.deep.equal(["Bearer secret-access-0", "Bearer secret-access-2"]);
      expect(bodies).to.deep.equal(["the body", "the body"]);
    });

    it("is sent again with the next token if the computer slept until the new one had ended", async () => {
      const clock = new Clock();
      const unknown = json(UNKNOWN, 401);
      const sleeping: typeof unknown = (request) => {
        clock.jump(600_000);
        return unknown(request);
      };
      issuer.server.routes[`POST ${WHOAMI}`] = inSequence(unknown, sleeping, json({}));
      const response = session.fetch(WHOAMI, { method: "POST", body: "the body" });

      expect((await clock.passUntil(response)).status).to.equal(200);
      const tokens = [0, 1, 2].map((nth) => `Bearer secret-access-${nth}`);
      expect(sent()).to.deep.equal(tokens);
    });

    it("is sent again with a token that arrived in the meantime, without another refresh", async () => {
      const refusal = held(json(UNKNOWN, 401));
      issuer.server.routes[`GET ${WHOAMI}`] = inSequence(refusal.respond, json({}));
      const response = session.fetch(WHOAMI);
      await refusal.asked;
      await session.refresh();
      refusal.release();

      expect((await response).status).to.equal(200);
      expect(issuer.generation).to.equal(1);
      expect(sent()).to.deep.equal(["Bearer secret-access-0", "Bearer secret-access-1"]);
    });

    it("does not make the session's end a soft logout if a refresh has succeeded since", async () => {
      const refusal = json({ ...UNKNOWN, soft_logout: true }, 401);
      issuer.server.routes[`GET ${WHOAMI}`] = inSequence(refusal, json({}));
      await session.fetch(WHOAMI);
      issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
      const events = recordEvents(session);
      await rejectionOf(session.refresh());

      expect(events).to.deep.equal([
        { type: "session-ended", softLogout: false, reason: "refused" },
      ]);
    });

    it("requests only one new token per wait if the homeserver rejects each, and reports token_refused", async () => {
      const clock = new Clock();
      const events = recordEvents(session);
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      for (let i = 0; i < 50; i++) expect((await session.fetch(WHOAMI)).status).to.equal(401);

      expect(issuer.received).to.have.length(1);
      const failed = { type: "session-refresh-failed", code: "token_refused" };
      expect(events).to.deep.equal([
        { type: "session-changed" },
        { ...failed, retryAt: Date.now() + 60_000 },
      ]);
      // The session waits twice as long each time, at most five minutes.
      for (const [minutes, requests] of [
        [1, 2],
        [1, 2],
        [1, 3],
        [3, 3],
        [1, 4],
        [5, 5],
        [5, 6],
        [4, 6],
        [1, 7],
      ] as const) {
        clock.jump(minutes * 60_000);
        await session.fetch(WHOAMI);
        expect(issuer.received).to.have.length(requests);
      }
      expect(session.state).to.equal("signed-in");
      // A call of `refresh()` does not wait.
      expect(await session.refresh()).to.equal("secret-access-8");
    });

    it("requests one new token each time the user tries again during that wait", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      await session.fetch(WHOAMI);
      for (const requests of [2, 3]) {
        (session as OidcSession & { tryNow(): void }).tryNow();
        for (let i = 0; i < 5; i++) await session.fetch(WHOAMI);
        expect(issuer.received).to.have.length(requests);
      }
    });

    for (const [what, ms] of [
      ["that is still valid", 120_000],
      ["that has expired", 600_000],
    ] as const) {
      it(`is replaced after a reload, even during a backoff, with a token ${what}`, async () => {
        const clock = new Clock();
        const options = { store: "localStorage", fetch: issuer.server.fetch } as const;
        const page = newSession(issuer, {}, options);
        issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
        // The account is locked.
        for (const minutes of [0, 1, 2, 4, 5]) {
          clock.jump(minutes * 60_000);
          await clock.passUntil(page.fetch(WHOAMI));
        }
        page.close();
        clock.jump(ms);
        const before = issuer.received.length;
        session = (await OidcSession.restore(options)) as OidcSession;
        issuer.server.routes[`GET ${WHOAMI}`] = ({ headers }) =>
          headers.get("Authorization") === `Bearer secret-access-${before + 1}`
            ? Response.json({})
            : Response.json(UNKNOWN, { status: 401 });

        expect((await clock.passUntil(session.fetch(WHOAMI))).status).to.equal(200);
        expect(issuer.received).to.have.length(before + 1);
        session.close();
        localStorage.clear();
      });
    }

    for (const [what, jump, requests] of [
      [
        "sends one request, and the issuer decides, if another page refreshed the token just before",
        30_000,
        2,
      ],
      [
        "refreshes, and sends the request again, if another page refreshed the token an hour before",
        3_600_000,
        3,
      ],
      ["refreshes, and sends the request again, if the clock was set back since", -60_000, 3],
    ] as const) {
      it(`${what}, and the homeserver rejects it`, async () => {
        const clock = new Clock();
        const page = newSession(issuer, {}, { store: "localStorage" });
        await clock.passUntil(page.refresh());
        page.close();
        clock.jump(jump);
        const options = { store: "localStorage", fetch: issuer.server.fetch } as const;
        session = (await OidcSession.restore(options)) as OidcSession;
        issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
        await clock.passUntil(session.fetch(WHOAMI));

        expect(issuer.received).to.have.length(requests);
        session.close();
        localStorage.clear();
      });
    }

    it("replaces a new token that expired while the computer slept before it arrived", async () => {
      const clock = new Clock();
      const refusal = json(UNKNOWN, 401);
      issuer.server.routes[`GET ${WHOAMI}`] = inSequence(refusal, refusal, json({}));
      issuer.server.routes[TOKEN] = inSequence((request) => {
        clock.jump(3_600_000);
        return issuer.refresh(request);
      }, issuer.refresh);
      const events = recordEvents(session);

      expect((await clock.passUntil(session.fetch(WHOAMI))).status).to.equal(200);
      expect(issuer.received).to.have.length(2);
      expect(events.map(({ type }) => type)).to.deep.equal(["session-changed", "session-changed"]);
    });

    it("does not replace, after a reload, a new token that the homeserver rejects like the last one", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = inSequence(json(UNKNOWN, 401), json({}));
      const page = newSession(issuer, {}, { store: "localStorage" });
      expect((await page.fetch(WHOAMI)).status).to.equal(200);
      page.close();
      const options = { store: "localStorage", fetch: issuer.server.fetch } as const;
      session = (await OidcSession.restore(options)) as OidcSession;
      const events = recordEvents(session);
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);

      expect((await session.fetch(WHOAMI)).status).to.equal(401);
      expect(issuer.received).to.have.length(1);
      expect(events.map(({ code }) => code)).to.deep.equal(["token_refused"]);
      session.close();
      localStorage.clear();
    });

    it("ends immediately if the device is removed just after a refresh", async () => {
      await session.refresh();
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
      const events = recordEvents(session);
      expect((await session.fetch(WHOAMI)).status).to.equal(401);
      expect(events).to.deep.equal([
        { type: "session-ended", softLogout: false, reason: "refused" },
      ]);
    });

    it("doubles the wait after each rejection of a token, even across reloads", async () => {
      const clock = new Clock();
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      const waits: number[] = [];
      const ask = async (each: OidcSession): Promise<void> => {
        each.addEventListener("session-refresh-failed", ({ detail: { retryAt } }) =>
          waits.push(Math.round((retryAt - Date.now()) / 60_000)),
        );
        await clock.passUntil(each.fetch(WHOAMI));
        each.close();
      };
      await ask(newSession(issuer, {}, { store: "localStorage" }));
      for (const requests of [2, 3]) {
        clock.jump(3_600_000);
        const options = { store: "localStorage", fetch: issuer.server.fetch } as const;
        await ask((await OidcSession.restore(options)) as OidcSession);
        expect(issuer.received).to.have.length(requests);
      }
      expect(waits).to.deep.equal([1, 2, 4]);
      localStorage.clear();
    });

    it("ends with the homeserver's soft logout if there is no refresh token", async () => {
      const { refresh_token: _, ...tokenResponse } = signIn().tokenResponse;
      session = new OidcSession({ ...signIn(), tokenResponse }, { fetch: issuer.server.fetch });
      issuer.server.routes[`GET ${WHOAMI}`] = json({ ...UNKNOWN, soft_logout: true }, 401);

      expect((await session.fetch(WHOAMI)).status).to.equal(401);
      expect(session.state).to.equal("soft-logout");
      expect(issuer.server.log).to.deep.equal([`GET ${WHOAMI}`]);
    });

    it("ends with the caller's abort reason, even while it waits for the token", async () => {
      const token = held(never);
      issuer.server.routes[TOKEN] = token.respond;
      const controller = new AbortController();
      const { signal } = controller;
      const ended = rejectionOf(newSession(issuer, ending()).fetch(WHOAMI, { signal }));
      await token.asked;
      controller.abort();

      expect(await ended).to.include({ name: "AbortError" });
      expect(sent()).to.be.empty;
    });

    it("ends with the caller's abort reason while it waits for a token to replace a rejected one", async () => {
      const token = held(never);
      issuer.server.routes[TOKEN] = token.respond;
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      const controller = new AbortController();
      const ended = rejectionOf(session.fetch(WHOAMI, { signal: controller.signal }));
      await token.asked;
      controller.abort();

      expect(await ended).to.include({ name: "AbortError" });
      expect(sent()).to.have.length(1);
    });
  });

  describe("through a HomeserverClient with the session", () => {
    let client: HomeserverClient;

    beforeEach(() => {
      const { fetch } = issuer.server;
      client = new HomeserverClient({ baseUrl: HOMESERVER, session, fetch });
    });

    it("is sent again with a new token if the old one is rejected", async () => {
      forgetToken();
      issueNext();

      expect(await client.whoami()).to.deep.equal({ user_id: "@alice:example" });
      expect(sent()).to.deep.equal(["Bearer secret-access-0", "Bearer secret-access-2"]);
    });

    it("is sent again only once", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);

      expect(await rejectionOf(client.whoami())).to.be.instanceOf(MatrixError);
      expect(sent()).to.have.length(2);
    });

    it("is rejected if the session ends, and reports a soft logout", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = json({ ...UNKNOWN, soft_logout: true }, 401);
      issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);

      expect(await rejectionOf(client.whoami())).to.include({ errcode: "M_UNKNOWN_TOKEN" });
      expect(session.state).to.equal("soft-logout");
    });

    for (const errcode of ["M_FORBIDDEN", "M_UNKNOWN_TOKEN"]) {
      it(`is not sent again after HTTP 403 with ${errcode}`, async () => {
        issuer.server.routes[`GET ${WHOAMI}`] = json({ errcode }, 403);

        expect(await rejectionOf(client.whoami())).to.include({ errcode });
        expect(issuer.server.log).to.have.length(1);
      });
    }

    it("fails with the session's error if the issuer's token response is invalid", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      issuer.server.routes[TOKEN] = text("{}");

      await expectFlowError(
        client.whoami(),
        OidcError.InvalidBearerTokenResponse,
        "token_response_invalid",
      );
    });

    it("waits no longer than its time limit, and the session stops retrying when no caller waits", async () => {
      const clock = new Clock();
      session = newSession(issuer, ending());
      const { fetch } = issuer.server;
      client = new HomeserverClient({ baseUrl: HOMESERVER, session, fetch });
      issuer.server.routes[TOKEN] = networkFailure;
      const failed = rejectionOf(client.whoami({ timeoutMs: 1500 }));
      await until(() => issuer.server.log.length > 0);

      expect(await clock.passUntil(failed)).to.include({ code: "timeout" });
      expect(clock.pending).to.be.empty;
      expect(issuer.received.length).to.be.within(1, 2);
    });

    it("is rejected if the session cannot get another token", async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = json(UNKNOWN, 401);
      const { fetch } = issuer.server;
      const simple = { accessToken: () => Promise.resolve("token") };
      client = new HomeserverClient({ baseUrl: HOMESERVER, session: simple, fetch });

      expect(await rejectionOf(client.whoami())).to.include({ errcode: "M_UNKNOWN_TOKEN" });
      expect(issuer.server.log).to.have.length(1);
    });
  });

  it("gets no new token if it is rejected after the session's end", async () => {
    await session.signOut();

    expect(await session.replaceToken("secret-access-0", true)).to.be.undefined;
    expect(session.state).to.equal("signed-out");
  });
});
