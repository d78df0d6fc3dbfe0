import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcSession,
  listSessions,
  type OidcFlowError,
} from "matrix-auth-elements/core";
import { idle, until } from "../../support/clock.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { held, json, networkFailure, type Responder } from "../../support/scripted-fetch.ts";
import {
  DEVICE_ID,
  HOMESERVER,
  RotatingIssuer,
  USER_ID,
  WHOAMI,
  newSession,
  recordEvents,
  restoredSession,
  useEmptyStores,
} from "./support.ts";

const NEW = "https://new.example";
const NEW_WHOAMI = `GET ${NEW}/_matrix/client/v3/account/whoami`;
const WELL_KNOWN = "GET https://example/.well-known/matrix/client";
const KEPT = { store: "localStorage" } as const;

describe("A session whose homeserver has moved to another base URL", () => {
  let issuer: RotatingIssuer;
  const keep = useEmptyStores();
  /** The user's session after a reload, and in another tab. */
  const restore = async (): Promise<OidcSession> => keep(await restoredSession(issuer));
  const published = (baseUrl: string): Responder => json({ "m.homeserver": { base_url: baseUrl } });

  beforeEach(async () => {
    issuer = new RotatingIssuer();
    issuer.server.routes[NEW_WHOAMI] = json({ user_id: USER_ID, device_id: DEVICE_ID });
    await keep(newSession(issuer, {}, KEPT)).stored;
  });

  it("continues there with the same tokens, in every tab and after a reload", async () => {
    const [session, other] = [await restore(), await restore()];
    const events = recordEvents(other);
    await session.moveTo("new.example");
    await until(() => events.length > 0);

    for (const each of [session, other, await restore()]) {
      expect(each.homeserverUrl).to.equal(NEW);
      expect(await each.accessToken()).to.equal("secret-access-0");
    }
    expect((await listSessions(KEPT))[0]?.homeserverUrl).to.equal(NEW);
    expect(events).to.deep.equal([{ type: "session-changed" }]);
  });

  const REFUSALS: readonly (readonly [string, Responder, string])[] = [
    ["another user's", json({ user_id: "@bob:example" }), "user_mismatch"],
    ["another device's", json({ user_id: USER_ID, device_id: "OTHER" }), "user_mismatch"],
    ["unknown", json({ errcode: "M_UNKNOWN_TOKEN" }, 401), "M_UNKNOWN_TOKEN"],
    ["nobody's", networkFailure, "network_error"],
  ];
  for (const [whose, respond, code] of REFUSALS) {
    it(`doesn't move if its token is ${whose} there`, async () => {
      issuer.server.routes[NEW_WHOAMI] = respond;
      const session = await restore();
      const error = (await rejectionOf(session.moveTo(NEW))) as OidcFlowError;
      expect(error.code).to.equal(code);
      expect(session.homeserverUrl).to.equal(HOMESERVER);
      expect(session.state).to.equal("signed-in");
    });
  }

  it("moves to a URL as browsers read it", async () => {
    const session = await restore();
    await session.moveTo(` ${NEW.replace("//", "/").toUpperCase()}/\n`);
    expect(session.homeserverUrl).to.equal(NEW);
  });

  it("never sends its token to a URL without TLS", async () => {
    const session = await restore();
    const error = (await rejectionOf(session.moveTo("http://new.example"))) as OidcFlowError;
    expect(error.code).to.equal("settings_invalid");
    expect(issuer.server.log).to.deep.equal([]);
  });

  it("follows the user's server once, if its own requests get no response after a reload", async () => {
    issuer.server.routes[`GET ${WHOAMI}`] = networkFailure;
    issuer.server.routes[WELL_KNOWN] = published(NEW);
    const session = await restore();
    const events = recordEvents(session);
    await rejectionOf(session.fetch(WHOAMI));
    await until(() => events.length > 0);
    expect(session.homeserverUrl).to.equal(NEW);
  });

  it("follows the user's server, if a request of its client gets no response after a reload", async () => {
    issuer.server.routes[`GET ${WHOAMI}`] = networkFailure;
    issuer.server.routes[WELL_KNOWN] = published(NEW);
    const session = await restore();
    const { fetch } = issuer.server;
    const client = new HomeserverClient({ baseUrl: HOMESERVER, session, fetch });
    const events = recordEvents(session);
    await rejectionOf(client.whoami());
    await until(() => events.length > 0);
    expect(session.homeserverUrl).to.equal(NEW);
  });

  it("takes its client along, even a request that is repeated with a new token", async () => {
    const refusal = held(json({ errcode: "M_UNKNOWN_TOKEN" }, 401));
    issuer.server.routes[`GET ${WHOAMI}`] = refusal.respond;
    const session = await restore();
    const { fetch } = issuer.server;
    const client = new HomeserverClient({ baseUrl: `${HOMESERVER}/`, session, fetch });
    const request = client.whoami();
    await refusal.asked;
    await session.moveTo(NEW);
    refusal.release();
    expect((await request).user_id).to.equal(USER_ID);
    expect(client.baseUrl).to.equal(NEW);
    expect(client.getFallbackAuthUrl("m.x", "s")).to.match(/^https:\/\/new\.example\//);
    expect(issuer.server.to(WHOAMI)).to.have.length(1);
  });

  it("does not search for the homeserver if it rejects a request of its client", async () => {
    issuer.server.routes[`GET ${WHOAMI}`] = json({ errcode: "M_FORBIDDEN" }, 403);
    const session = await restore();
    const { fetch } = issuer.server;
    await rejectionOf(new HomeserverClient({ baseUrl: HOMESERVER, session, fetch }).whoami());
    await idle();
    expect(issuer.server.log).not.to.include(WELL_KNOWN);
  });

  const UNMOVED: readonly (readonly [string, Responder])[] = [
    ["names the same URL", published(HOMESERVER)],
    ["has no such file", json({}, 404)],
    ["names a URL without TLS", published("http://new.example")],
    ["does not respond", networkFailure],
  ];
  for (const [what, respond] of UNMOVED) {
    it(`requests the file once, and doesn't move if the user's server ${what}`, async () => {
      issuer.server.routes[`GET ${WHOAMI}`] = networkFailure;
      issuer.server.routes[WELL_KNOWN] = respond;
      const session = await restore();
      for (let nth = 0; nth < 2; nth += 1) {
        await rejectionOf(session.fetch(WHOAMI));
        await idle();
      }
      await until(() => issuer.server.log.includes(WELL_KNOWN));
      await idle();
      expect(session.homeserverUrl).to.equal(HOMESERVER);
      expect(issuer.server.log.filter((line) => line === WELL_KNOWN)).to.have.length(1);
      expect(issuer.server.log).not.to.include(NEW_WHOAMI);
    });
  }
});
