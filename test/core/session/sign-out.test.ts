import { expect } from "@open-wc/testing";
import { OidcError, OidcSession, revokeTokens } from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, html, json, never, redirectTo } from "../../support/scripted-fetch.ts";
import { ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { until } from "../../support/clock.ts";
import {
  CLIENT_ID,
  ISSUER,
  REVOKE,
  RotatingIssuer,
  ending,
  recordEvents,
  newSession,
  signIn,
} from "./support.ts";

const ENDED = { type: "session-ended", softLogout: false, reason: "signed-out" };

describe("Signing out", () => {
  let issuer: RotatingIssuer;
  const forms = (): readonly Record<string, string>[] =>
    issuer.server
      .to(`${ISSUER}revoke`)
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

  beforeEach(() => {
    issuer = new RotatingIssuer();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
  });

  it("continues if the user leaves the page", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      inits.push(init);
      return issuer.server.fetch(input, init);
    };
    const session = newSession(issuer, ending(), { fetch });
    await session.accessToken();
    await session.signOut();

    expect(inits.map((init) => init?.keepalive)).to.deep.equal([undefined, true, true]);
  });

  it("ends the session once, and removes the tokens", async () => {
    const session = newSession(issuer, {}, { store: "localStorage" });
    const events = recordEvents(session);
    await Promise.all([session.signOut(), session.signOut()]);

    expect(events).to.deep.equal([ENDED]);
    expect(session.state).to.equal("signed-out");
    expect(session.user.deviceId).to.equal("DEVICE1234");
    expect(localStorage).to.have.length(0);
    expect(forms()).to.have.length(2);
    await expectFlowError(session.accessToken(), OidcError.SessionEnded, "session_ended");
  });

  for (const [what, respond] of [
    ["404 with JSON", json({ error: "not_found" }, 404)],
    ["403 with a page", html(403)],
    ["a redirect", redirectTo(`${ISSUER}moved`, 308)],
  ] as const) {
    it(`revokes the tokens at the endpoint that the issuer now names after ${what}`, async () => {
      const { metadata } = await ScriptedProvider.create();
      const moved = `${ISSUER}moved`;
      issuer.server.routes[REVOKE] = respond;
      issuer.server.routes[`GET ${ISSUER}.well-known/openid-configuration`] = json({
        ...metadata,
        ...{ issuer: ISSUER, revocation_endpoint: moved },
      });
      issuer.server.routes[`POST ${moved}`] = json({});
      const session = newSession(issuer);

      expect(await session.signOut()).to.be.true;
      const revoked = issuer.server.to(moved).map(({ body }) => new URLSearchParams(body));
      expect(revoked.map((form) => form.get("token"))).to.deep.equal([
        "secret-refresh-0",
        "secret-access-0",
      ]);
    });
  }

  it("reports an endpoint that has moved to another origin", async () => {
    const { metadata } = await ScriptedProvider.create();
    issuer.server.routes[REVOKE] = json({ error: "not_found" }, 404);
    issuer.server.routes[`GET ${ISSUER}.well-known/openid-configuration`] = json({
      ...metadata,
      ...{ issuer: ISSUER, revocation_endpoint: "https://elsewhere.example/revoke" },
    });
    const session = newSession(issuer);

    expect(await session.signOut()).to.be.false;
    expect(issuer.server.to("https://elsewhere.example/revoke")).to.be.empty;
  });

  it("sends no request if the server itself has ended the session", async () => {
    const session = newSession(issuer, {}, { store: "localStorage" });
    const events = recordEvents(session);

    expect(await session.signOut({ notify: false })).to.be.true;
    expect(events).to.deep.equal([ENDED]);
    expect(localStorage).to.have.length(0);
    expect(forms()).to.have.length(0);
  });

  it("returns the stored value", async () => {
    const { refresh_token: _, ...tokenResponse } = signIn().tokenResponse;
    const session = new OidcSession({ ...signIn(), tokenResponse }, { fetch: issuer.server.fetch });

    expect(await session.signOut()).to.be.true;
    expect(forms().map(({ token }) => token)).to.deep.equal(["secret-access-0"]);
  });

  it("removes the tokens immediately, even if no caller waits", async () => {
    const revocation = held(never);
    issuer.server.routes[REVOKE] = revocation.respond;
    const session = newSession(issuer);
    const controller = new AbortController();
    const done = session.signOut({ signal: controller.signal });
    await revocation.asked;
    controller.abort();

    expect(await done).to.be.false;
    expect(session.state).to.equal("signed-out");
  });

  it("leaves nothing in the store before it sends both revocations, which do not wait for each other", async () => {
    const revocation = held(never);
    issuer.server.routes[REVOKE] = (request) => {
      stored.push(localStorage.length);
      return revocation.respond(request);
    };
    const stored: number[] = [];
    const session = newSession(issuer, {}, { store: "localStorage" });
    void session.signOut();
    await until(() => stored.length === 2);

    expect(stored).to.deep.equal([0, 0]);
    expect(forms().map(({ token_type_hint }) => token_type_hint)).to.deep.equal([
      "refresh_token",
      "access_token",
    ]);
    expect(await OidcSession.restore({ store: "localStorage" })).to.be.undefined;
  });

  it("is final: later tokens are revoked instead of kept", async () => {
    const token = held(issuer.refresh);
    issuer.server.routes[`POST ${ISSUER}token`] = token.respond;
    const session = newSession(issuer, ending(), { store: "localStorage" });
    const events = recordEvents(session);
    const refreshing = rejectionOf(session.accessToken());
    await token.asked;
    await session.signOut({ signal: AbortSignal.abort() });
    token.release();

    expect(await refreshing).to.include({ code: "session_ended" });
    await until(() => issuer.revocations.includes("secret-refresh-1"));
    expect(events).to.deep.equal([ENDED]);
    expect(localStorage).to.have.length(0);
  });

  it("removes as much as it can if the store is unavailable", async () => {
    const session = newSession(issuer, {}, { store: "localStorage" });
    const events = recordEvents(session);
    stub(Storage.prototype, "getItem", {
      value: () => {
        throw new Error("Broken");
      },
    });

    expect(await session.signOut()).to.be.true;
    expect(events).to.deep.equal([ENDED]);
  });
});

describe("revokeTokens", () => {
  let issuer: RotatingIssuer;
  const metadata = { revocation_endpoint: `${ISSUER}revoke` };
  const revoke = (tokens: object): Promise<void> =>
    revokeTokens(metadata, CLIENT_ID, tokens, { fetch: issuer.server.fetch });

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });

  it("restores nothing from an empty store", async () => {
    await revoke({});

    expect(issuer.server.log).to.be.empty;
  });
});
