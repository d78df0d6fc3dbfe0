import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  SessionWatcher,
  completeAuthorizationCodeGrantFromUrl,
  listSessions,
  loginWithPassword,
  restoreSession,
  type MatrixLoginElement,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs, stub } from "../support/stub.js";
import { inState, nextEvent, part, recordEvents } from "../elements/support/element.js";
import {
  HOMESERVER,
  authorizationUrl,
  logOf,
  responseUrl,
  useTestServers,
} from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { fill } from "../elements/matrix-login/fixture.js";
import { comeBack, goAway, recordAt, storeSoftLogout, storedText } from "./support.js";

const ALICE = "@alice:hs.example";
const BOB = "@bob:hs.example";
const LOCAL = { store: "localStorage" } as const;

describe("Confirm, then store", () => {
  const { href } = location;
  let servers: TestServers;

  const useServers = async (...login: ("oauth" | "sso" | "password")[]): Promise<void> => {
    servers = await useTestServers({ login, accounts: { alice: "password", bob: "password" } });
  };
  beforeEach(async () => {
    await useServers("oauth");
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    if (location.href !== href) history.replaceState(null, "", href);
    localStorage.clear();
  });

  const timesOf = (endpoint: string): number =>
    logOf(servers).filter((line) => line.endsWith(endpoint)).length;
  const isRevoked = (): Promise<unknown> =>
    waitFor(() => timesOf("/revoke") > 0, "the tokens are not revoked");

  /** The token response names another scope than the provider has granted. */
  const grant = (scopeOf: (scope: string) => string): void => {
    servers.override("/token", async (request) => {
      const response = await servers.respond(
        new Request(request.url, { method: "POST", body: request.body, headers: request.headers }),
      );
      const tokens = (await response.json()) as { scope: string };
      return Response.json({ ...tokens, scope: scopeOf(tokens.scope) });
    });
  };

  describe("a grant for another device, or for two, is rejected and revoked", () => {
    const DEVICE = "urn:matrix:client:device:";
    const OLD = "urn:matrix:org.matrix.msc2967.client:device:";
    const ATTACKS: Readonly<Record<string, (scope: string) => string>> = {
      "another device": (scope) => scope.replace(/device:\S+/, "device:OTHERDEVICE"),
      "two devices": (scope) => `${scope} ${DEVICE}OTHERDEVICE`,
      "two devices, the other with the unstable name": (scope) => `${scope} ${OLD}OTHERDEVICE`,
      "another device with the unstable name": (scope) =>
        scope.replace(/urn:matrix:client:device:\S+/, `${OLD}OTHERDEVICE`),
      "a device without an ID besides": (scope) => `${scope} ${DEVICE}`,
      "two devices, separated by a tab": (scope) => `${scope}\t${DEVICE}OTHERDEVICE`,
      "another device in capitals": (scope) =>
        scope.replace(/urn:matrix:client:device:\S+/, "URN:MATRIX:client:device:OTHERDEVICE"),
      "a device with more after its ID": (scope) => scope.replace(/(device:\S+)/, "$1:other"),
    };
    const TWINS: Readonly<Record<string, (scope: string) => string>> = {
      "the device": (scope) => scope,
      "the device with both names": (scope) =>
        `${scope} ${scope.replace(/.*client:(device:\S+).*/, `urn:matrix:org.matrix.msc2967.client:$1`)}`,
      "no device": (scope) => scope.replace(/ ?\S+device:\S+/, ""),
    };

    for (const deviceId of [undefined, "LAPTOP12345"]) {
      const whose = deviceId ? "a device that the page named" : "a new device";
      for (const [what, scopeOf] of Object.entries(ATTACKS)) {
        it(`${what}, asked for ${whose}`, async () => {
          const url = await responseUrl(servers, {}, { ...(deviceId && { deviceId }) });
          grant(scopeOf);
          const code = await completeAuthorizationCodeGrantFromUrl(url).then(
            ({ deviceId: granted }) => `granted ${granted}`,
            (error: unknown) => (error as { code: string }).code,
          );
          expect(code).to.equal("scope_not_granted");
          await isRevoked();
        });
      }
      for (const [what, scopeOf] of Object.entries(TWINS)) {
        it(`but ${what} is accepted, asked for ${whose}`, async () => {
          const url = await responseUrl(servers, {}, { ...(deviceId && { deviceId }) });
          grant(scopeOf);
          const result = await completeAuthorizationCodeGrantFromUrl(url);
          if (deviceId) expect(result.deviceId).to.equal(deviceId);
          await untilQuiet();
          expect(timesOf("/revoke")).to.equal(0);
        });
      }
    }

    it("<matrix-login persist> stores nothing of it, and notifies no other tab", async () => {
      const started: unknown[] = [];
      const watcher = new SessionWatcher(LOCAL);
      watcher.addEventListener("session-started", ({ detail }) => started.push(detail));
      history.replaceState(null, "", await responseUrl(servers));
      grant((scope) => `${scope} ${DEVICE}OTHERDEVICE`);
      const error = nextEvent(document, "matrix-login-error");
      await comeBack(
        location.href,
        html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`,
      );
      expect((await error).detail.code).to.equal("scope_not_granted");
      expect(storedText()).not.to.contain("access-token");
      expect(started).to.deep.equal([]);
      watcher.close();
    });
  });

  const named = (userId: string, more: Readonly<Record<string, string>> = {}) =>
    html`<matrix-login
      homeserver=${HOMESERVER}
      user-id=${userId}
      device-id=${more["deviceId"] ?? ""}
      persist="local"
    ></matrix-login>`;

  /** How the page at the redirect URI completes a sign-in that `<matrix-login>` has started. */
  const COMPLETING = {
    "<matrix-login>": (userId: string) => named(userId),
    "<oidc-callback>": () => html`<oidc-callback persist="local"></oidc-callback>`,
  } as const;

  const failure = (): Promise<string> =>
    Promise.any([
      nextEvent(document, "matrix-login-error").then(({ detail }) => detail.code),
      nextEvent(document, "oidc-error").then(({ detail }) => detail.code),
    ]);

  describe("<matrix-login> with device-id, but without user-id", () => {
    const completeAs = async (whoami: () => Response): Promise<void> => {
      const starting = named("", { deviceId: "LAPTOP12345" });
      const back = await goAway(servers, starting, "matrix-login", "alice");
      servers.override("/whoami", whoami, { times: Infinity });
      await comeBack(back, starting);
    };

    it("rejects and revokes tokens that belong to another device", async () => {
      const failed = failure();
      await completeAs(() => Response.json({ user_id: ALICE, device_id: "OTHERDEVICE" }));
      expect(await failed).to.equal("scope_not_granted");
      await isRevoked();
      expect(storedText()).not.to.contain("access-token");
      expect(await listSessions(LOCAL)).to.deep.equal([]);
    });

    for (const [what, whoami] of [
      ["names the device", () => Response.json({ user_id: ALICE, device_id: "LAPTOP12345" })],
      ["names no device", () => Response.json({ user_id: ALICE })],
      ["cannot be reached, as a closed page must lose nothing", () => Response.error()],
    ] as const) {
      it(`but stores the session if the homeserver ${what}`, async () => {
        await completeAs(whoami);
        await waitFor(() => storedText().includes("access-token"), "nothing is stored");
        const [session] = await listSessions(LOCAL);
        expect(session).to.include({ deviceId: "LAPTOP12345", state: "signed-in" });
        expect(timesOf("/revoke")).to.equal(0);
      });
    }
  });

  for (const [who, completing] of Object.entries(COMPLETING)) {
    describe(`${who} stores nothing before the user of user-id is confirmed`, () => {
      for (const [what, respond, code] of [
        ["cannot be reached", () => Response.error(), "network_error"],
        ["fails", () => new Response("", { status: 502 }), "server_error"],
        ["says nothing", () => Response.json({}), undefined],
        ["refuses", () => Response.json({ errcode: "M_FORBIDDEN" }, { status: 403 }), undefined],
        [
          "names another device",
          () => Response.json({ user_id: ALICE, device_id: "X" }),
          undefined,
        ],
        ["names another user", () => Response.json({ user_id: BOB }), "user_mismatch"],
      ] as const) {
        it(`if the homeserver ${what}`, async () => {
          const back = await goAway(servers, named(ALICE), "matrix-login", "bob");
          servers.override("/whoami", respond, { times: Infinity });
          const started = recordEvents(document, "matrix-login-success", "oidc-success");
          const failed = failure();
          await comeBack(back, completing(ALICE));
          const found = await failed;
          if (code) expect(found).to.equal(code);
          await untilQuiet();
          expect(storedText()).not.to.contain("access-token");
          expect(await listSessions(LOCAL)).to.deep.equal([]);
          expect(started).to.deep.equal([]);
        });
      }

      it("and stores it after Try again, once the user is confirmed", async () => {
        const back = await goAway(servers, named(ALICE), "matrix-login", "alice");
        const reset = servers.override("/whoami", () => Response.error(), { times: Infinity });
        const failed = failure();
        const page = await comeBack(back, completing(ALICE));
        await failed;
        reset();
        const element = page.firstElementChild as MatrixLoginElement;
        await inState(element, "error");
        part(element, "retry").click();
        await inState(element, "success");
        const [session] = await listSessions(LOCAL);
        expect(session).to.include({ userId: ALICE, state: "signed-in" });
        expect(timesOf("/token")).to.equal(1);
        element.session?.close();
      });

      it("and revokes the tokens if the user leaves the page instead of trying again", async () => {
        const back = await goAway(servers, named(ALICE), "matrix-login", "alice");
        servers.override("/whoami", () => Response.error(), { times: Infinity });
        const failed = failure();
        await comeBack(back, completing(ALICE));
        await failed;
        window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
        await isRevoked();
        expect(storedText()).not.to.contain("access-token");
      });

      it("and keeps the user's soft logout if another user signs in, and revokes that user's tokens", async () => {
        storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
        const starting = named(ALICE, { deviceId: "ALICEDEVICE" });
        const back = await goAway(servers, starting, "matrix-login", "bob");
        const failed = failure();
        await comeBack(
          back,
          who === "<matrix-login>" ? named(ALICE, { deviceId: "ALICEDEVICE" }) : completing(ALICE),
        );
        expect(await failed).to.equal("user_mismatch");
        await isRevoked();
        const kept = await restoreSession(LOCAL);
        expect(kept?.state).to.equal("soft-logout");
        expect(kept?.user).to.include({ userId: ALICE, deviceId: "ALICEDEVICE" });
      });

      it("but replaces it with the session of the same user on the same device", async () => {
        storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
        const starting = named(ALICE, { deviceId: "ALICEDEVICE" });
        const back = await goAway(servers, starting, "matrix-login", "alice");
        const success = nextEvent(document, "matrix-login-success");
        await comeBack(
          back,
          who === "<matrix-login>" ? named(ALICE, { deviceId: "ALICEDEVICE" }) : completing(ALICE),
        );
        const { session } = (await success).detail;
        const sessions = await listSessions(LOCAL);
        expect(sessions).to.have.length(1);
        expect(sessions[0]).to.include({
          state: "signed-in",
          userId: ALICE,
          deviceId: "ALICEDEVICE",
        });
        session.close();
      });
    });
  }

  it("a single sign-on that the core started is confirmed for the user of user-id, too", async () => {
    await useServers("sso");
    const { startSsoLogin } = await import("matrix-auth-elements");
    const { url } = startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: href });
    const failed = failure();
    await comeBack(servers.approve(url, { user: "bob" }), named(ALICE));
    expect(await failed).to.equal("user_mismatch");
    expect(await listSessions(LOCAL)).to.deep.equal([]);
    await waitFor(() => timesOf("/logout") > 0, "it is not signed out");
  });

  describe("if the page has not set a user", () => {
    const anyone = html`<oidc-callback persist="local"></oidc-callback>`;

    it("the tokens are stored before the user is requested from the homeserver", async () => {
      let whoami: unknown;
      servers.override("/whoami", () => {
        whoami = recordAt(localStorage)?.["tokenResponse"];
        return undefined;
      });
      const page = await comeBack(await responseUrl(servers), anyone);
      const element = page.querySelector("oidc-callback");
      if (!element) throw new Error("no element");
      await inState(element, "success");
      await waitFor(() => whoami);
      expect(whoami).to.have.property("access_token");
      await waitFor(() => element.session?.user.userId, "the user is unknown");
      element.session?.close();
    });

    it("another user's sign-in leaves the soft logout in the store, with its device", async () => {
      storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
      const back = servers.approve(await authorizationUrl(servers), { user: "bob" });
      const success = nextEvent(document, "matrix-login-success");
      await comeBack(back, anyone);
      const { session } = (await success).detail;
      const sessions = await listSessions(LOCAL);
      const found = sessions.map(({ userId, state, deviceId }) =>
        [userId, state, userId === ALICE && deviceId].join(),
      );
      expect(found.sort()).to.deep.equal([
        `${ALICE},soft-logout,ALICEDEVICE`,
        `${BOB},signed-in,false`,
      ]);
      expect((await restoreSession(LOCAL))?.user.userId).to.equal(BOB);
      session.close();
    });

    it("but the same user's sign-in replaces it, once the user is known", async () => {
      storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
      const back = servers.approve(await authorizationUrl(servers), { user: "alice" });
      const success = nextEvent(document, "matrix-login-success");
      await comeBack(back, anyone);
      const { session } = (await success).detail;
      const sessions = await listSessions(LOCAL);
      expect(sessions.map(({ userId, state }) => [userId, state].join())).to.deep.equal([
        `${ALICE},signed-in`,
      ]);
      session.close();
    });

    it("a user with the same name on another homeserver does not replace it", async () => {
      storeSoftLogout({
        userId: ALICE,
        deviceId: "ALICEDEVICE",
        homeserverUrl: "https://good.example",
      });
      const back = servers.approve(await authorizationUrl(servers), { user: "alice" });
      const success = nextEvent(document, "matrix-login-success");
      await comeBack(back, anyone);
      const { session } = (await success).detail;
      const sessions = await listSessions(LOCAL);
      expect(sessions.map(({ deviceId }) => deviceId)).to.include("ALICEDEVICE");
      session.close();
    });
  });

  describe("in a popup", () => {
    /** The user signs in in the popup of a <matrix-login>, and comes back to its callback page. */
    const signInInPopup = async (element: MatrixLoginElement, user: string): Promise<void> => {
      await inState(element, "ready");
      await element.start("oauth");
      await inState(element, "waiting");
      const inner = element.shadowRoot?.querySelector("oidc-login");
      const link = inner?.shadowRoot?.querySelector<HTMLAnchorElement>("[part=link]");
      const page = link?.href ?? "";
      const state = new URL(page).searchParams.get("state") ?? "";
      const channel = new BroadcastChannel(`matrix-auth-elements:${state}`);
      channel.postMessage({ state, response: servers.approve(page, { user }) });
      channel.close();
    };
    const popup = (deviceId: string) =>
      fixture<MatrixLoginElement>(
        html`<matrix-login
          homeserver=${HOMESERVER}
          mode="popup"
          user-id=${ALICE}
          device-id=${deviceId}
          persist="local"
        ></matrix-login>`,
      );
    beforeEach(() => stub(window, "open", { value: () => null }));

    it("another user's tokens are not stored, and are revoked", async () => {
      storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
      const element = await popup("ALICEDEVICE");
      const failed = failure();
      await signInInPopup(element, "bob");
      expect(await failed).to.equal("user_mismatch");
      await isRevoked();
      expect(recordAt(localStorage)).to.include({ state: "soft-logout", deviceId: "ALICEDEVICE" });
    });

    it("nothing is stored while the homeserver cannot be reached", async () => {
      const element = await popup("");
      servers.override("/whoami", () => Response.error(), { times: Infinity });
      const failed = failure();
      await signInInPopup(element, "bob");
      expect(await failed).to.equal("network_error");
      await untilQuiet();
      expect(storedText()).not.to.contain("access-token");
    });

    it("but the user's own session is", async () => {
      storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
      const element = await popup("ALICEDEVICE");
      const success = nextEvent(document, "matrix-login-success");
      await signInInPopup(element, "alice");
      const { session } = (await success).detail;
      expect(recordAt(localStorage)).to.include({ userId: ALICE, deviceId: "ALICEDEVICE" });
      session.close();
    });
  });

  for (const who of ["bob", "alice"]) {
    it(`a password of ${who} ${who === "bob" ? "keeps" : "replaces"} Alice's soft logout`, async () => {
      await useServers("password");
      storeSoftLogout({ userId: ALICE, deviceId: "ALICEDEVICE" });
      const element = await fixture<MatrixLoginElement>(
        html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`,
      );
      await inState(element, "ready");
      fill(element, { username: who, password: "password" });
      part(element, "submit").click();
      await inState(element, "success");
      const sessions = await listSessions(LOCAL);
      const devices = sessions.map(({ deviceId }) => deviceId);
      expect(devices.includes("ALICEDEVICE")).to.equal(who === "bob");
      element.session?.close();
    });
  }

  it("a login response for another device is signed out, even after the page has cancelled", async () => {
    await useServers("password");
    const controller = new AbortController();
    servers.override("POST /login", () => {
      controller.abort();
      const body = { user_id: ALICE, device_id: "OTHER", access_token: "secret-token" };
      return Response.json(body);
    });
    const login = loginWithPassword(
      {
        homeserverUrl: HOMESERVER,
        identifier: { type: "m.id.user", user: "alice" },
        password: "password",
        deviceId: "LAPTOP",
      },
      { signal: controller.signal },
    );
    await login.catch(() => undefined);
    await waitFor(() => timesOf("/logout") > 0, "it is not signed out");
  });
});
