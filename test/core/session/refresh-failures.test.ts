import { expect } from "@open-wc/testing";
import { HomeserverClient, OidcError, OidcSession } from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, inSequence, never, networkFailure } from "../../support/scripted-fetch.ts";
import { restoreStubs } from "../../support/stub.ts";
import { Clock, until } from "./clock.ts";
import {
  CLAIMS,
  CLIENT_ID,
  HOMESERVER,
  RotatingIssuer,
  TOKEN,
  ending,
  json,
  recordEvents,
  newSession,
  signIn,
  unsignedIdToken,
} from "./support.ts";

describe("Where new tokens can't be had,", () => {
  let issuer: RotatingIssuer;

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });
  afterEach(restoreStubs);

  it("tells how long the issuer asks to wait, where that is more than a minute", async () => {
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

    it("gives it after three seconds where the issuer does not respond, and takes a late response", async () => {
      const clock = new Clock();
      const response = held(issuer.refresh);
      issuer.server.routes[TOKEN] = response.respond;
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

    it("gives it after three seconds where others wait for a refresh that was asked for", async () => {
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
      issuer.server.routes[TOKEN] = inSequence(never, issuer.refresh);
      const token = newSession(issuer, ending(2)).accessToken();

      expect(await clock.passUntil(token)).to.equal("secret-access-1");
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
    it("there is nothing to refresh with, and the user asks to", async () => {
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

  describe("because of nothing of the kind, it goes on:", () => {
    const fine: Record<string, Record<string, unknown>> = {
      "an ID token for the same user": { id_token: unsignedIdToken(CLAIMS) },
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

    it("a user with letters beyond ASCII, which base64url writes in its own way", async () => {
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
  });
});
