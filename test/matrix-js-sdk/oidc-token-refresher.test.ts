import { expect } from "@open-wc/testing";
import { OidcFlowError, RequestError, type AbortOptions } from "matrix-auth-elements/core";
import {
  OidcError,
  OidcTokenRefresher,
  type AccessTokens,
  type OidcTokenRefresherOptions,
} from "matrix-auth-elements/matrix-js-sdk";
import { realPause } from "../support/real-pause.ts";
import { expectFlowError, rejectionOf } from "../support/rejection.ts";
import { held, inSequence, type Responder } from "../support/scripted-fetch.ts";
import { moveClock, blockSiteData, restoreStubs, stub } from "../support/stub.ts";
import { Clock, breathe, until } from "../support/clock.ts";
import {
  CLAIMS,
  CLIENT_ID,
  DEVICE_ID,
  ISSUER,
  LIFE_S,
  RotatingIssuer,
  SCOPE,
  TOKEN,
  json,
  signIn,
  unsignedIdToken,
} from "../core/session/support.ts";

const DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;
const OTHER_DEVICE = "urn:matrix:client:device:OTHER12345";
const OTHER_USER = unsignedIdToken({ ...CLAIMS, sub: "mallory" });
const API = "urn:matrix:client:api:*";
const REFUSAL = json({ error: "invalid_grant" }, 400);
const granted = (more: object): Responder =>
  json({ access_token: "a", token_type: "Bearer", ...more });
const REDIRECT_URI = "https://app.example/callback";

/** Like an app: records the tokens that it must store. */
class Refresher extends OidcTokenRefresher {
  readonly kept: AccessTokens[] = [];
  failure: Error | undefined;
  attempts = 0;

  /** Exchanges the issuer's refresh token with this number. */
  exchange(nth = 0, options: AbortOptions = {}): Promise<AccessTokens> {
    return this.doRefreshAccessToken(`secret-refresh-${nth}`, options);
  }

  override async persistTokens(tokens: AccessTokens): Promise<void> {
    this.attempts += 1;
    await breathe();
    if (this.failure) throw this.failure;
    this.kept.push(tokens);
  }
}

/** As another tab would, or other code of the page. Returns when all messages have arrived. */
async function tellTabs(...messages: readonly unknown[]): Promise<void> {
  const name = `matrix-auth-elements:refresh:${JSON.stringify([ISSUER, CLIENT_ID, DEVICE_ID])}`;
  const channel = new BroadcastChannel(name);
  const listener = new BroadcastChannel(name);
  let received = 0;
  listener.onmessage = () => (received += 1);
  for (const message of messages) channel.postMessage(message);
  await until(() => received === messages.length);
  channel.close();
  listener.close();
}

/**
 * From the second message on, the browser is busy, but keeps their order.
 *
 * @returns A function that waits until all are sent.
 */
function deliverLate(): () => Promise<void> {
  const { postMessage } = BroadcastChannel.prototype;
  let sent = 0;
  let last = Promise.resolve();
  stub(BroadcastChannel.prototype, "postMessage", {
    value(this: BroadcastChannel, message: unknown) {
      const busy = sent++ > 0 && realPause(200);
      last = Promise.all([last, busy]).then(() => postMessage.call(this, message));
    },
  });
  return () => last;
}

describe("OidcTokenRefresher", () => {
  let issuer: RotatingIssuer;
  const open: OidcTokenRefresher[] = [];

  const refresherWith = (options: OidcTokenRefresherOptions = {}): Refresher => {
    const { fetch } = issuer.server;
    const all = { metadata: signIn().metadata, fetch, ...options };
    const refresher = new Refresher(ISSUER, CLIENT_ID, REDIRECT_URI, DEVICE_ID, CLAIMS, all);
    open.push(refresher);
    return refresher;
  };

  const expectEnd = (call: Promise<unknown>): Promise<OidcFlowError> =>
    expectFlowError(call, OidcError.SessionEnded, "session_ended");

  beforeEach(() => {
    issuer = new RotatingIssuer();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    for (const refresher of open.splice(0)) refresher.close();
  });

  it("returns new tokens, with a lifetime from the start of the request", async () => {
    const clock = new Clock();
    const token = issuer.hold();
    const got = refresherWith().exchange();
    await until(() => clock.pending.includes(100));
    await clock.pass(100);
    await token.asked;
    const asked = Math.floor(Date.now() / 1000);
    clock.jump(20_000);
    token.release();

    expect(await got).to.deep.equal({
      accessToken: "secret-access-1",
      refreshToken: "secret-refresh-1",
      expiry: new Date((asked + LIFE_S) * 1000),
    });
  });

  it("sends the specified request, to the endpoint of the issuer's document", async () => {
    const { metadata } = signIn();
    issuer.server.routes[DOCUMENT] = json({
      ...metadata,
      authorization_endpoint: `${ISSUER}authorize`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
    const refresher = new OidcTokenRefresher(
      ISSUER,
      CLIENT_ID,
      REDIRECT_URI,
      DEVICE_ID,
      undefined,
      issuer.server,
    );
    open.push(refresher);
    await refresher.doRefreshAccessToken("secret-refresh-0");
    await refresher.doRefreshAccessToken("secret-refresh-1");

    expect(issuer.server.log).to.deep.equal([DOCUMENT, TOKEN, TOKEN]);
    const form = new URLSearchParams(issuer.server.requests[1]?.body);
    expect(Object.fromEntries(form)).to.deep.equal({
      grant_type: "refresh_token",
      refresh_token: "secret-refresh-0",
      client_id: CLIENT_ID,
    });
  });

  it("doesn't wait for another device's refresher", async () => {
    const { fetch } = issuer.server;
    const token = held(issuer.refresh);
    issuer.server.routes[TOKEN] = inSequence(token.respond, issuer.refresh);
    const first = refresherWith().exchange();
    await token.asked;
    const { metadata } = signIn();
    const options = { metadata, fetch };
    const other = new OidcTokenRefresher(
      ...([ISSUER, CLIENT_ID, REDIRECT_URI, "OTHER12345", undefined, options] as const),
    );
    open.push(other);
    issuer.tokens = { scope: undefined };

    expect((await other.doRefreshAccessToken("secret-refresh-0")).accessToken).to.equal(
      "secret-access-1",
    );
    token.release();
    await rejectionOf(first);
  });

  for (const when of ["immediately", "while it waits for them"]) {
    it(`returns its tokens even if it is closed ${when}`, async () => {
      const token = issuer.hold();
      const refresher = refresherWith();
      const tokens = refresher.exchange();
      if (when !== "immediately") await token.asked;
      refresher.close();
      token.release();

      expect((await tokens).accessToken).to.equal("secret-access-1");
    });
  }

  it("requests the issuer's document again five seconds after it was not found", async () => {
    issuer.server.routes[DOCUMENT] = json({}, 404);
    const refresher = refresherWith({ metadata: undefined });

    for (const messages of [OidcError.General, OidcError.RefreshTokenFailed]) {
      await expectFlowError(refresher.exchange(), messages, "unexpected_status");
    }
    expect(issuer.server.log).to.deep.equal([DOCUMENT]);
    moveClock(5000);
    await rejectionOf(refresher.exchange());
    expect(issuer.server.log).to.deep.equal([DOCUMENT, DOCUMENT]);
  });

  it("stores the tokens before it returns them", async () => {
    const refresher = refresherWith();

    const tokens = await refresher.exchange();

    expect(refresher.kept).to.deep.equal([tokens]);
  });

  it("works without a function that stores them", async () => {
    const refresher = new OidcTokenRefresher(ISSUER, CLIENT_ID, REDIRECT_URI, DEVICE_ID, CLAIMS, {
      metadata: signIn().metadata,
      fetch: issuer.server.fetch,
    });
    open.push(refresher);
    // matrix-js-sdk's had something to wait for.
    await refresher.oidcClientReady;

    expect(await refresher.doRefreshAccessToken("secret-refresh-0")).to.include({
      accessToken: "secret-access-1",
    });
  });

  for (const failure of [
    new Error("Full"),
    new RequestError("network_error", "Offline"),
    new OidcFlowError(OidcError.RefreshTokenFailed, "network_error"),
  ]) {
    it(`loses no tokens if they couldn't be stored (${failure.name}): the next call stores them again`, async () => {
      const refresher = refresherWith();
      refresher.failure = failure;
      expect(await rejectionOf(refresher.exchange())).to.equal(failure);
      expect(refresher.attempts).to.equal(1);
      refresher.failure = undefined;

      const tokens = await refresher.exchange();

      expect(tokens.accessToken).to.equal("secret-access-1");
      expect(refresher.kept).to.deep.equal([tokens]);
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    });
  }

  it("refreshes even if the browser blocks storage, locks, and messages", async () => {
    blockSiteData();

    expect((await refresherWith().exchange()).accessToken).to.equal("secret-access-1");
  });

  it("sends one request for all callers at the same time", async () => {
    const refresher = refresherWith();

    const [one, other] = await Promise.all([refresher.exchange(), refresher.exchange()]);

    expect(one).to.equal(other);
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    expect(refresher.kept).to.have.length(1);
  });

  it("doesn't return the result for one refresh token to a caller with another one", async () => {
    const token = held(issuer.refresh);
    issuer.server.routes[TOKEN] = inSequence(token.respond, REFUSAL);
    const refresher = refresherWith();
    const one = refresher.exchange();
    await token.asked;
    const other = rejectionOf(refresher.doRefreshAccessToken("somebody-else's"));
    token.release();

    expect(await one).to.include({ accessToken: "secret-access-1" });
    expect(await other).to.include({ code: "session_ended" });
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "somebody-else's"]);
  });

  it("returns the result for a refresh token to a late caller, too", async () => {
    const refresher = refresherWith();
    await refresher.exchange();
    const newest = await refresher.exchange(1);

    expect(await refresher.exchange()).to.deep.equal(newest);
    expect(await refresher.exchange(1)).to.deep.equal(newest);
    expect(issuer.generation).to.equal(2);
    expect(refresher.kept).to.have.length(2);
  });

  it("returns valid tokens even to a very late caller", async () => {
    const clock = new Clock();
    stub(globalThis, "BroadcastChannel", { value: undefined });
    const refresher = refresherWith();
    await refresher.exchange();
    clock.jump(LIFE_S * 1000);

    expect((await refresher.exchange()).accessToken).to.equal("secret-access-2");
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-1"]);
  });

  it("refreshes each time if the issuer never replaces the refresh token", async () => {
    issuer.server.routes[TOKEN] = json({ access_token: "other", token_type: "Bearer" });
    const refresher = refresherWith();

    for (const _ of [1, 2]) {
      expect(await refresher.exchange()).to.deep.equal({
        accessToken: "other",
        refreshToken: "secret-refresh-0",
      });
    }
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
  });

  it("starts over with an unknown refresh token", async () => {
    const refresher = refresherWith();
    await refresher.exchange();
    // The user has signed in again as the same device.
    issuer.generation = 10;
    const tokens = await refresher.exchange(10);

    expect(tokens.accessToken).to.equal("secret-access-11");
    expect(await refresher.exchange(10)).to.deep.equal(tokens);
    // Its current token is not the successor of the old one.
    await expectEnd(refresher.exchange());
  });

  it("accepts tokens of a provider that grants no device in its scope", async () => {
    issuer.tokens = { scope: "openid urn:matrix:client:api:*" };

    expect((await refresherWith().exchange()).accessToken).to.equal("secret-access-1");
  });

  it("lets a waiting caller abort", async () => {
    const token = issuer.hold();
    const refresher = refresherWith();
    const controller = new AbortController();
    const { signal } = controller;
    const leaving = rejectionOf(refresher.exchange(0, { signal }));
    await token.asked;
    controller.abort();
    token.release();

    expect(await leaving).to.include({ message: OidcError.RefreshTokenFailed, code: "aborted" });
    expect((await refresher.exchange()).accessToken).to.equal("secret-access-1");
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
  });

  for (const [what, respond] of [
    ["refuses", REFUSAL],
    ["gives tokens for another user", granted({ id_token: OTHER_USER })],
    ["gives tokens for another device", granted({ scope: `${API} ${OTHER_DEVICE}` })],
    ["gives tokens for two devices", granted({ scope: `${SCOPE} ${OTHER_DEVICE}` })],
    ["gives tokens without the homeserver", granted({ scope: "openid" })],
  ] as const) {
    it(`reports that the session is over if the issuer ${what}, and sends no further request`, async () => {
      issuer.server.routes[TOKEN] = respond;
      const refresher = refresherWith();

      for (const _ of [1, 2]) {
        const { cause } = await expectEnd(refresher.exchange());
        expect(cause).to.be.instanceOf(Error);
      }
      expect(issuer.received).to.have.length(1);
      expect(refresher.kept).to.be.empty;
    });
  }

  it("returns another tab's tokens if the provider rejects a token that the tab has used in the meantime", async () => {
    const rejection = held(REFUSAL);
    issuer.server.routes[TOKEN] = rejection.respond;
    const got = refresherWith().exchange();
    await rejection.asked;
    issuer.server.routes[TOKEN] = issuer.refresh;
    // The other tab doesn't share the lock, for example because the browser has broken it.
    stub(navigator, "locks", { value: undefined });
    const tokens = await refresherWith().exchange();
    rejection.release();

    expect(await got).to.deep.equal(tokens);
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
  });

  for (const [how, prepare] of [
    ["by Web Locks", () => undefined],
    ["with a lease, without locks", () => stub(navigator, "locks", { value: undefined })],
  ] as const) {
    describe(`in two tabs, ${how},`, () => {
      let first: Refresher;
      let second: Refresher;

      beforeEach(() => {
        prepare();
        first = refresherWith();
        second = refresherWith();
      });

      it("sends a refresh token once, and each tab stores the tokens", async () => {
        const [one, other] = await Promise.all([first.exchange(), second.exchange()]);

        expect(other).to.deep.equal(one);
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        expect([first.kept, second.kept]).to.deep.equal([[one], [one]]);
      });

      it("returns the first tab's result to a late tab, even twice", async () => {
        await first.exchange();
        const tokens = await first.exchange(1);

        expect(await second.exchange()).to.deep.equal(tokens);
        expect(issuer.generation).to.equal(2);
      });

      it("sends one request if the refresh token is rejected", async () => {
        issuer.server.routes[TOKEN] = REFUSAL;

        const errors = await Promise.all([
          rejectionOf(first.exchange()),
          rejectionOf(second.exchange()),
        ]);

        for (const error of errors) expect(error).to.include({ code: "session_ended" });
        expect(issuer.server.log).to.have.length(1);
      });

      it("rejects a late instance in the same way", async () => {
        issuer.server.routes[TOKEN] = REFUSAL;
        await rejectionOf(first.exchange());

        await expectEnd(second.exchange());
        expect(issuer.server.log).to.have.length(1);
      });

      it("returns the other tab's tokens before its own required delay is over", async () => {
        const accept = issuer.server.routes[TOKEN];
        issuer.server.routes[TOKEN] = json({ retry_after_ms: 3_600_000 }, 429);
        expect(await rejectionOf(first.exchange())).to.include({
          code: "rate_limited",
        });
        issuer.server.routes = { ...issuer.server.routes, ...(accept && { [TOKEN]: accept }) };
        const tokens = await second.exchange();
        // The messages before this one have arrived, too.
        await tellTabs({});

        expect(await first.exchange()).to.deep.equal(tokens);
        expect(issuer.server.log).to.deep.equal([TOKEN, TOKEN]);
      });

      it("receives a response that the browser delivers later than the query", async () => {
        await first.exchange();
        const allSent = deliverLate();

        const tokens = await second.exchange();
        expect([tokens]).to.deep.equal(first.kept);
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        await allSent();
      });

      it("responds to a query with its result even after it is closed", async () => {
        await first.exchange();
        await second.exchange();
        const tokens = await first.exchange(1);
        first.close();

        expect(await second.exchange(1)).to.deep.equal(tokens);
        expect(issuer.generation).to.equal(2);
      });

      it("continues if the other instance is closed", async () => {
        await first.exchange();
        first.close();

        expect((await second.exchange(1)).accessToken).to.equal("secret-access-2");
      });
    });
  }

  it("knows every replacement in every tab, even after a third tab has requested the oldest", async () => {
    const [first, second, third] = [refresherWith(), refresherWith(), refresherWith()];
    await first.exchange();
    await second.exchange();
    const tokens = await first.exchange(1);
    // It listens only from here on; both reply to it, and receive each other's messages.
    expect(await third.exchange()).to.deep.equal(tokens);
    await tellTabs(null);

    expect(await second.exchange(1)).to.deep.equal(tokens);
    expect(await first.exchange(1)).to.deep.equal(tokens);
    expect(first.kept, "a repeated message is not stored again").to.have.length(2);
    first.close();
    second.close();
    expect(await third.exchange(1)).to.deep.equal(tokens);
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-1"]);
  });

  it("keeps the delay that the provider required if another tab repeats the tokens", async () => {
    const [first, second, third] = [refresherWith(), refresherWith(), refresherWith()];
    for (const each of [first, second]) await each.exchange();
    issuer.server.routes[TOKEN] = json({ retry_after_ms: 3_600_000 }, 429);
    const limited = { code: "rate_limited" };
    expect(await rejectionOf(first.exchange(1))).to.include(limited);
    await third.exchange();
    await tellTabs(null);

    expect(await rejectionOf(first.exchange(1))).to.include(limited);
    expect(issuer.server.log).to.deep.equal([TOKEN, TOKEN]);
  });

  it("does not return to an older token from a tab that has missed a replacement", async () => {
    const refresher = refresherWith();
    await refresher.exchange();
    const tokens = await refresher.exchange(1);
    await tellTabs({
      replaced: ["secret-refresh-0"],
      accessToken: "secret-access-1",
      refreshToken: "secret-refresh-1",
    });

    expect(await refresher.exchange()).to.deep.equal(tokens);
    expect(await refresher.exchange(1)).to.deep.equal(tokens);
    expect(issuer.generation).to.equal(2);
  });

  it("keeps only the last two hundred replacements", async () => {
    stub(globalThis, "BroadcastChannel", { value: undefined });
    const refresher = refresherWith();
    let tokens: AccessTokens | undefined;
    for (let i = 0; i <= 200; i += 1) {
      tokens = await refresher.exchange(i);
    }

    expect(await refresher.exchange(1)).to.deep.equal(tokens);
    await expectEnd(refresher.exchange());
  });

  it("passes on tokens with an unknown expiry", async () => {
    issuer.tokens = { expires_in: undefined };
    const [first, second] = [refresherWith(), refresherWith()];
    const tokens = await first.exchange();

    expect(tokens).to.deep.equal({
      accessToken: "secret-access-1",
      refreshToken: "secret-refresh-1",
    });
    expect(await second.exchange()).to.deep.equal(tokens);
    expect(issuer.generation).to.equal(1);
  });

  it("ignores invalid messages", async () => {
    const refresher = refresherWith();
    await refresher.exchange();
    const good = { replaced: ["secret-refresh-1"], accessToken: "a", refreshToken: "b" };
    await tellTabs(
      null,
      { query: 1 },
      { ...good, replaced: 1 },
      { ...good, replaced: "secret-refresh-1" },
      { ...good, replaced: ["secret-refresh-1", null] },
      { ...good, accessToken: null },
      { ...good, refreshToken: {} },
      { refused: ["secret-refresh-1"] },
    );

    expect((await refresher.exchange()).accessToken).to.equal("secret-access-1");
    expect((await refresher.exchange(1)).accessToken).to.equal("secret-access-2");
  });
});
