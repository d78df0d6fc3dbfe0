import { expect } from "@open-wc/testing";
import { OidcError, OidcSession, revokeTokens } from "matrix-auth-elements/core";
import { everyTextIn, expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, html, inTurn, never, networkFailure } from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import {
  CLIENT_ID,
  ISSUER,
  REVOKE,
  RotatingIssuer,
  ending,
  json,
  listen,
  newSession,
  signIn,
} from "./support.ts";

const ENDED = { type: "session-ended", softLogout: false };

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

  it("gives the tokens back, the refresh token first", async () => {
    const session = newSession(issuer);

    expect(await session.signOut()).to.be.true;
    expect(forms()).to.deep.equal([
      { token: "secret-refresh-0", token_type_hint: "refresh_token", client_id: CLIENT_ID },
      { token: "secret-access-0", token_type_hint: "access_token", client_id: CLIENT_ID },
    ]);
  });

  it("goes on where the page is left", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      inits.push(init);
      return issuer.server.fetch(input, init);
    };
    const session = newSession(issuer, ending(), { fetch });
    await session.accessToken();
    await session.signOut();

    expect(inits.map((init) => init?.keepalive)).to.deep.equal([false, true, true]);
  });

  it("ends the session once, and forgets the tokens", async () => {
    const session = newSession(issuer, {}, { store: "localStorage" });
    const heard = listen(session);
    await Promise.all([session.signOut(), session.signOut()]);

    expect(heard).to.deep.equal([ENDED]);
    expect(session.state).to.equal("signed-out");
    expect(session.user.deviceId).to.equal("DEVICE1234");
    expect(localStorage).to.have.length(0);
    expect(forms()).to.have.length(2);
    await expectFlowError(session.accessToken(), OidcError.SessionEnded, "session_ended");
  });

  it("has nothing to give back a second time", async () => {
    const session = newSession(issuer);
    await session.signOut();

    expect(await session.signOut()).to.be.false;
    expect(forms()).to.have.length(2);
  });

  it("gives back what there is", async () => {
    const { refresh_token: _, ...tokenResponse } = signIn().tokenResponse;
    const session = new OidcSession({ ...signIn(), tokenResponse }, { fetch: issuer.server.fetch });

    expect(await session.signOut()).to.be.true;
    expect(forms().map(({ token }) => token)).to.deep.equal(["secret-access-0"]);
  });

  for (const [what, answer] of [
    ["offline", networkFailure],
    ["where the issuer is broken", html(500)],
    ["where the issuer refuses", json({ error: "unsupported_token_type" }, 400)],
    ["where the second token can't be given back", inTurn(json({}), networkFailure)],
  ] as const) {
    it(`forgets the tokens ${what} too, and says that the issuer has them still`, async () => {
      issuer.server.routes[REVOKE] = answer;
      const session = newSession(issuer, {}, { store: "localStorage" });
      const heard = listen(session);

      expect(await session.signOut()).to.be.false;
      expect(heard).to.deep.equal([ENDED]);
      expect(localStorage).to.have.length(0);
    });
  }

  it("forgets the tokens where the issuer never answers, after the time limit", async () => {
    issuer.server.routes[REVOKE] = never;
    const session = newSession(issuer, {}, { timeoutMs: 20 });

    expect(await session.signOut()).to.be.false;
    expect(session.state).to.equal("signed-out");
  });

  it("forgets the tokens at once where nobody waits any more", async () => {
    const revocation = held(never);
    issuer.server.routes[REVOKE] = revocation.answer;
    const session = newSession(issuer);
    const controller = new AbortController();
    const done = session.signOut({ signal: controller.signal });
    await revocation.asked;
    controller.abort();

    expect(await done).to.be.false;
    expect(session.state).to.equal("signed-out");
  });

  it("forgets the tokens also while it waits for its turn", async () => {
    const token = held(never);
    issuer.server.routes[`POST ${ISSUER}token`] = token.answer;
    const session = newSession(issuer, ending(), { timeoutMs: 1000 });
    const refreshing = rejectionOf(session.accessToken());
    await token.asked;
    const controller = new AbortController();
    const done = session.signOut({ signal: controller.signal });
    controller.abort();

    expect(await done).to.be.false;
    expect(session.state).to.equal("signed-out");
    expect(forms()).to.be.empty;
    // What arrives after the session has ended belongs to nobody.
    await refreshing;
  });

  it("is final: tokens that come later are not kept", async () => {
    const token = held(issuer.refresh);
    issuer.server.routes[`POST ${ISSUER}token`] = token.answer;
    const session = newSession(issuer, ending(), { store: "localStorage" });
    const heard = listen(session);
    const refreshing = rejectionOf(session.accessToken());
    await token.asked;
    await session.signOut({ signal: AbortSignal.abort() });
    token.release();

    expect(await refreshing).to.include({ code: "session_ended" });
    expect(heard).to.deep.equal([ENDED]);
    expect(localStorage).to.have.length(0);
  });

  it("forgets what it can where the store can't be reached any more", async () => {
    const session = newSession(issuer, {}, { store: "localStorage" });
    const heard = listen(session);
    stub(Storage.prototype, "getItem", {
      value: () => {
        throw new Error("Broken");
      },
    });

    expect(await session.signOut()).to.be.true;
    expect(heard).to.deep.equal([ENDED]);
  });

  it("asks the issuer where to, if the sign-in did not say", async () => {
    const { metadata, ...result } = signIn();
    issuer.server.routes[`GET ${ISSUER}.well-known/openid-configuration`] = json({
      ...metadata,
      authorization_endpoint: `${ISSUER}authorize`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
    const session = new OidcSession(result, { fetch: issuer.server.fetch });

    expect(await session.signOut()).to.be.true;
    expect(forms()).to.have.length(2);
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

  it("gives back nothing where there is nothing", async () => {
    await revoke({});

    expect(issuer.server.log).to.be.empty;
  });

  it("fails with the issuer's reason, which holds no token", async () => {
    issuer.server.routes[REVOKE] = ({ body }) =>
      Response.json({ error: "invalid_client", error_description: body }, { status: 401 });

    const error = await expectFlowError(
      revoke({ refresh_token: "secret-refresh", access_token: "secret-access" }),
      OidcError.RevokeTokenFailed,
      "token_request_refused",
    );

    expect(error.cause).to.include({ error: "invalid_client" });
    expect(everyTextIn(error)).not.to.include("secret");
  });

  it("can be tried again where there was no answer", async () => {
    issuer.server.routes[REVOKE] = networkFailure;

    const error = await expectFlowError(
      revoke({ access_token: "secret-access" }),
      OidcError.RevokeTokenFailed,
      "network_error",
    );

    expect(error.retryable).to.be.true;
  });
});
