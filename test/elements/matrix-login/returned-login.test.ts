import { expect, fixture, html } from "@open-wc/testing";
import {
  LegacySession,
  SessionWatcher,
  hasSession,
  listSessions,
  restoreSession,
  startSsoLogin,
  type MatrixLoginElement,
} from "matrix-auth-elements";
import type { TestIdentityProvider, TestServers } from "matrix-auth-elements/testing";
import { Clock } from "../../support/clock.js";
import { moveClock, restoreStubs, stub } from "../../support/stub.js";
import { inState, nextEvent, part, recordEvents } from "../support/element.js";
import {
  HOMESERVER,
  authorizationUrl,
  bodiesTo,
  hold,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { USER, homeserverField, make, makeAsking, ready } from "./fixture.js";

const HOUR_MS = 60 * 60_000;

describe("<matrix-login> after the user returns", () => {
  const { href } = location;
  let servers: TestServers;

  beforeEach(async () => {
    servers = await useTestServers({ login: ["sso"] });
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    // WebKit allows 100 of these calls in ten seconds, and most tests end at this URL.
    if (location.href !== href) history.replaceState(null, "", href);
  });

  /** Returns from single sign-on, as if the homeserver had redirected. */
  const comeBack = (options: Partial<Parameters<typeof startSsoLogin>[0]> = {}): string => {
    const { url } = startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: href, ...options });
    const back = servers.approve(url);
    history.replaceState(null, "", back);
    return back;
  };

  const logins = (): number => bodiesTo(servers, "POST /login").length;

  const errorOf = async (act: () => Promise<unknown>): Promise<string> => {
    const error = nextEvent(document, "matrix-login-error");
    await act();
    return (await error).detail.code;
  };

  const persistent = html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`;

  describe("from single sign-on", () => {
    it("completes a sign-in that this tab has started, and leaves no token in the URL", async () => {
      comeBack({ appState: { returnTo: "" } });
      const success = nextEvent(document, "matrix-login-success");
      const element = await make(persistent);
      expect(location.href).to.equal(href);
      expect((await success).detail).to.include({ method: "sso", userId: USER });
      expect(hasSession({ store: "localStorage" })).to.be.true;
      expect(logOf(servers)[0]).to.match(/^POST .*\/login$/);
      element.session?.close();
    });

    it("ignores an unrequested login token", async () => {
      const back = `${href.split("?", 1)[0]}?loginToken=foreign&state=foreign`;
      history.replaceState(null, "", back);
      await ready();
      expect(location.href).to.equal(back);
      expect(logins()).to.equal(0);
    });

    it("uses a login token once, even if its URL is opened again", async () => {
      const back = comeBack();
      const element = await make();
      await inState(element, "success");
      element.remove();
      history.replaceState(null, "", back);
      await ready();
      expect(logins()).to.equal(1);
    });

    it("ignores a response that <oidc-callback> has reported", async () => {
      comeBack();
      const success = nextEvent(document, "matrix-login-success");
      const callback = await fixture(html`<oidc-callback></oidc-callback>`);
      await success;
      callback.remove();
      await ready();
      expect(logins()).to.equal(1);
    });

    it("rejects a sign-in that took more than an hour", async () => {
      comeBack();
      moveClock(HOUR_MS + 1000);
      expect(await errorOf(make)).to.equal("flow_expired");
      expect(location.href).to.equal(href);
      expect(logins()).to.equal(0);
    });

    it("shows an error and a way to sign in again if the login token is rejected", async () => {
      servers.refuse("POST /login", 403, { errcode: "M_FORBIDDEN" });
      comeBack();
      let element: MatrixLoginElement | undefined;
      expect(await errorOf(async () => (element = await make()))).to.equal("login_token_refused");
      await waitFor(() => element?.shadowRoot?.querySelector("[part=provider]"));
      expect(element?.state).to.equal("error");
      expect(element?.shadowRoot?.querySelector("[part=retry]")).to.be.null;
    });

    it("is completed with Try again after a temporary failure", async () => {
      servers.refuse("POST /login", 502, {});
      comeBack();
      const element = await make();
      await inState(element, "error");
      part(element, "retry").click();
      await inState(element, "success");
    });

    for (const deviceId of ["LAPTOP", undefined]) {
      it(`is discarded after cancel(), and signed out unless the page named its device: ${deviceId}`, async () => {
        const late = hold(servers, "POST /login");
        comeBack({ deviceId });
        const element = await make(persistent);
        await late.asked;
        element.cancel();
        late.release();
        const isLogout = (line: string): boolean => line.endsWith("/logout");
        if (deviceId) await untilQuiet();
        else await waitFor(() => logOf(servers).some(isLogout), "it is not signed out");
        expect(logOf(servers).filter(isLogout)).to.have.length(deviceId ? 0 : 1);
        expect(hasSession({ store: "localStorage" })).to.be.false;
        expect(element.session).to.be.undefined;
      });
    }

    for (const end of ["cancel", "reset"] as const) {
      it(`ends with ${end}() before the code is loaded`, async () => {
        comeBack();
        const events = recordEvents(document, "matrix-login-success");
        const element = document.createElement("matrix-login");
        element.persist = "local";
        document.body.append(element);
        await element.updateComplete;
        element[end]();
        await untilQuiet();
        expect(events).to.deep.equal([]);
        expect(element.session).to.be.undefined;
        expect(hasSession({ store: "localStorage" })).to.be.false;
        element.remove();
      });
    }

    it("looks up the homeserver once after reset()", async () => {
      const late = hold(servers, "POST /login");
      comeBack();
      const element = await make();
      const events = recordEvents(element, "matrix-login-homeserver");
      await late.asked;
      element.reset();
      late.release();
      await inState(element, "ready");
      await untilQuiet();
      expect(events).to.have.length(1);
    });

    it("is completed by the next element if the first was removed", async () => {
      comeBack();
      const events = recordEvents(document, "matrix-login-success");
      const first = await make();
      first.remove();
      await make();
      await waitFor(() => events.length > 0);
      await untilQuiet();
      expect(events).to.have.length(1);
      expect(logins()).to.equal(1);
    });
  });

  describe("and single sign-on before it", () => {
    const provider = (
      id: string,
      more: Partial<TestIdentityProvider> = {},
    ): TestIdentityProvider => ({
      ...{ id, name: `At ${id}` },
      ...more,
    });
    const list = (...identityProviders: readonly TestIdentityProvider[]): Promise<TestServers> =>
      useTestServers({ login: ["sso"], identityProviders });

    it("opens the chosen provider, with only the sign-in's state in the URL", async () => {
      await list(provider("oidc/one"), provider("two"));
      const element = await ready({ "device-id": "DEVICE", "session-key": "k" });
      element.addEventListener("matrix-login-redirect", (event) => event.preventDefault());
      const redirect = nextEvent(element, "matrix-login-redirect");
      part(element, "provider").click();
      const { method, url } = (await redirect).detail;
      expect(method).to.equal("sso");
      expect(url).to.match(/\/v3\/login\/sso\/redirect\/oidc%2Fone\?redirectUrl=[^&]+$/);
      const back = new URL(new URL(url).searchParams.get("redirectUrl") ?? "");
      expect([...back.searchParams.keys()]).to.deep.equal(["state"]);
      expect(back.searchParams.get("state")).to.match(/^\w{22}$/);
      expect(element.state).to.equal("redirecting");
    });

    for (const [attribute, value] of [
      ["redirect-uri", "https://"],
      ["return-to", "https://elsewhere.example/"],
    ] as const) {
      it(`reports settings_invalid, and stays, if ${attribute} is ${value}`, async () => {
        const element = await ready();
        element.setAttribute(attribute, value);
        await element.updateComplete;
        const error = nextEvent(element, "matrix-login-error");
        part(element, "provider").click();
        expect((await error).detail).to.include({ method: "sso", code: "settings_invalid" });
        expect(element.state).to.equal("error");
      });
    }

    it("can be started again if the page is still here after ten seconds", async () => {
      const element = await ready();
      element.addEventListener("matrix-login-redirect", (event) => event.preventDefault());
      const clock = new Clock();
      part(element, "provider").click();
      await waitFor(() => clock.pending.includes(10_000));
      await clock.pass(9999);
      expect(element.state).to.equal("redirecting");
      await clock.pass(1);
      await inState(element, "ready");
    });

    it("shows the ID of a provider without a readable name, and no marks that change directions", async () => {
      servers = await list(
        provider("work", { name: " \u200B" }),
        provider("home", { name: "\u202EHome" }),
      );
      const element = await ready();
      const names = [...(element.shadowRoot?.querySelectorAll("[part=provider]") ?? [])];
      expect(names.map(({ textContent }) => textContent.trim())).to.deep.equal([
        "Continue with work",
        "Continue with Home",
      ]);
    });

    it("shows the name of each provider as text, and requests none of its images", async () => {
      servers = await list(
        provider("evil", {
          name: "<img src=x onerror=alert(1)> & $& $1",
          brand: 'x" onclick="alert(1)',
          icon: "javascript:alert(1)",
        }),
        provider("known", { brand: "github", icon: "mxc://hs.example/icon" }),
      );
      const element = await ready();
      const buttons = [...(element.shadowRoot?.querySelectorAll("[part=provider]") ?? [])];
      expect(buttons[0]?.textContent?.trim()).to.equal(
        "Continue with <img src=x onerror=alert(1)> & $& $1",
      );
      expect(element.shadowRoot?.querySelector("img, [onclick]")).to.be.null;
      expect(buttons[0]?.querySelector("slot")).to.be.null;
      expect(buttons[1]?.querySelector("slot")?.name).to.equal("idp-icon-github");
      expect(logOf(servers).some((line) => /mxc|media/.test(line))).to.be.false;
    });
  });

  describe("from OAuth 2.0", () => {
    beforeEach(async () => {
      servers = await useTestServers();
    });

    const comeBackFrom = async (
      respond = (url: string): string => servers.approve(url),
    ): Promise<void> => history.replaceState(null, "", respond(await authorizationUrl(servers)));
    const timesOf = (endpoint: string): readonly number[] =>
      logOf(servers).flatMap((line, nth) => (line.endsWith(endpoint) ? [nth] : []));

    it("completes the sign-in, keeps the session, and has the user ID", async () => {
      await comeBackFrom();
      const success = nextEvent(document, "matrix-login-success");
      const element = await make(persistent);
      expect(location.hash).to.equal("");
      expect((await success).detail).to.include({ method: "oauth", userId: USER });
      expect(element.session?.kind).to.equal("oauth");
      expect(element.session?.user.userId).to.equal(USER);
      expect(timesOf("/token")[0]).to.be.below(timesOf("/whoami")[0] ?? 0);
      element.session?.close();
    });

    it("gives the session, with its user, to the page's SessionWatcher, and requests the user once", async () => {
      const sessions = new SessionWatcher({ store: "localStorage" });
      await comeBackFrom();
      const success = nextEvent(document, "matrix-login-success");
      const element = await make(persistent);
      const { session } = (await success).detail;
      expect((await sessions.current()) === session).to.be.true;
      expect((await listSessions({ store: "localStorage" }))[0]?.userId).to.equal(USER);
      await untilQuiet();
      expect(timesOf("/whoami")).to.have.length(1);
      sessions.close();
      element.session?.close();
    });

    it("doesn't report a user who signs out in another tab before the homeserver has returned the user ID", async () => {
      const { asked, release } = hold(servers, "/whoami");
      const successes = recordEvents(document, "matrix-login-success");
      await comeBackFrom();
      const element = await make(persistent);
      await asked;
      const session = await restoreSession({ store: "localStorage" });
      await session?.signOut();
      release();
      await inState(element, "ready");
      await untilQuiet();
      expect([element.session, successes]).to.deep.equal([undefined, []]);
    });

    it("succeeds if the homeserver cannot return the user ID, which later arrives with session-changed", async () => {
      servers.refuse("/whoami", 502, {});
      await comeBackFrom();
      const success = nextEvent(document, "matrix-login-success");
      const clock = new Clock();
      const element = await make();
      const { userId, session } = (await success).detail;
      expect(userId).to.be.undefined;
      await clock.passUntil(waitFor(() => session.user.userId === USER));
      element.session?.close();
    });

    for (const [what, respond, code] of [
      ["is out of reach", (): Response => Response.error(), "network_error"],
      ["fails", (): Response => new Response("", { status: 502 }), "server_error"],
      ["limits requests", (): Response => new Response("", { status: 429 }), "rate_limited"],
      ["responds with a page", (): Response => new Response("<p>"), "response_not_json"],
    ] as const) {
      it(`delays success until the user of user-id is confirmed, if the homeserver ${what}`, async () => {
        const reset = servers.override("/whoami", respond, { times: Infinity });
        const successes = recordEvents(document, "matrix-login-success");
        await comeBackFrom();
        let element: MatrixLoginElement | undefined;
        const of = html`<matrix-login homeserver=${HOMESERVER} user-id=${USER}></matrix-login>`;
        expect(await errorOf(async () => (element = await make(of)))).to.equal(code);
        if (!element) throw new Error("no element");
        expect([element.state, element.session, successes]).to.deep.equal(["error", undefined, []]);
        reset();
        const success = nextEvent(document, "matrix-login-success");
        part(element, "retry").click();
        const { userId, session } = (await success).detail;
        expect(userId).to.equal(USER);
        expect(timesOf("/token")).to.have.length(1);
        session.close();
      });
    }

    it("revokes the tokens of a user who is not confirmed if the sign-in is cancelled", async () => {
      servers.override("/whoami", () => Response.error(), { times: Infinity });
      await comeBackFrom();
      const element = await make({ "user-id": USER });
      await inState(element, "error");
      const cancelled = nextEvent(element, "matrix-login-cancel");
      element.cancel();
      await cancelled;
      await waitFor(() => timesOf("/revoke").length > 0, "the tokens are not revoked");
    });

    it("signs out a user other than user-id if the homeserver returns the user only after Try again", async () => {
      servers.refuse("/whoami", 502, {});
      const successes = recordEvents(document, "matrix-login-success");
      await comeBackFrom();
      const element = await make({ "user-id": "@bob:hs.example" });
      await inState(element, "error");
      expect(await errorOf(async () => part(element, "retry").click())).to.equal("user_mismatch");
      await waitFor(() => timesOf("/revoke").length > 0);
      expect(successes).to.deep.equal([]);
    });

    it("signs out if the homeserver doesn't confirm the user of user-id", async () => {
      servers.refuse("/whoami", 403, { errcode: "M_FORBIDDEN" });
      await comeBackFrom();
      const expected = html`<matrix-login
        homeserver=${HOMESERVER}
        user-id=${USER}
        persist="local"
      ></matrix-login>`;
      expect(await errorOf(() => make(expected))).to.equal("login_refused");
      await waitFor(() => timesOf("/revoke").length > 0);
      expect(hasSession({ store: "localStorage" })).to.be.false;
    });

    it("fires matrix-login-cancel if the user declined, and offers to sign in", async () => {
      await comeBackFrom((url) => servers.decline(url));
      const cancel = nextEvent(document, "matrix-login-cancel");
      const element = await make();
      expect((await cancel).detail).to.deep.equal({ method: "oauth", reason: "refused" });
      await waitFor(() => element.shadowRoot?.querySelector("oidc-login"));
      expect(element.error).to.be.undefined;
      expect(part(element, "notice").textContent).to.equal("Sign-in was cancelled.");
      // A check mark would mean that the sign-in is complete.
      expect(getComputedStyle(part(element, "notice"), "::before").content).to.equal("none");
    });

    it("shows that the user declined, without the provider's message", async () => {
      await comeBackFrom((url) => `${servers.decline(url)}&error_description=Not+%3Cb%3Eyou`);
      const element = await make();
      await waitFor(() => element.shadowRoot?.querySelector("[part=notice]"));
      await waitFor(() => part(element, "notice").textContent === "Sign-in was cancelled.");
    });

    it("shows the name of an unreachable homeserver if the user declined", async () => {
      const login = { appState: { homeserver: "gone.example" } };
      history.replaceState(null, "", servers.decline(await authorizationUrl(servers, login)));
      const element = await makeAsking();
      expect(homeserverField(element).value).to.equal("gone.example");
    });

    it("shows the homeserver that the user had chosen if the user declined", async () => {
      const login = { appState: { homeserver: "hs.example" } };
      const page = servers.decline(await authorizationUrl(servers, login));
      history.replaceState(null, "", page);
      const element = await make({ homeserver: undefined });
      await waitFor(() => element.shadowRoot?.querySelector("oidc-login"));
      expect(part(element, "server-name").textContent).to.equal("hs.example");
    });

    const shownServer = async (markup: Parameters<typeof make>[0]): Promise<string | null> => {
      const element = await make(markup);
      await waitFor(() =>
        element.shadowRoot?.querySelector("[part=homeserver], [part=server-name]"),
      );
      await waitFor(() => !["checking", "completing"].includes(element.state));
      await element.updateComplete;
      const name = element.shadowRoot?.querySelector("[part=server-name]");
      return name ? name.textContent : homeserverField(element).value;
    };

    for (const where of ["the same page", "another page"]) {
      for (const [what, markup, name] of [
        ["no homeserver", html`<matrix-login></matrix-login>`, "chosen.example"],
        [
          "a default",
          html`<matrix-login homeserver="default.example"></matrix-login>`,
          "chosen.example",
        ],
        [
          "a locked homeserver",
          html`<matrix-login homeserver="locked.example" homeserver-locked></matrix-login>`,
          "locked.example",
        ],
      ] as const) {
        it(`shows the homeserver ${name} if the user declined on ${where}, and the page sets ${what}`, async () => {
          const login = { appState: { homeserver: "chosen.example" } };
          history.replaceState(null, "", servers.decline(await authorizationUrl(servers, login)));
          if (where === "another page") {
            const cancelled = nextEvent(document, "oidc-cancel");
            const callback = await fixture(html`<oidc-callback></oidc-callback>`);
            await cancelled;
            callback.remove();
          }
          expect(await shownServer(markup)).to.equal(name);
          // Only the first element shows the user's choice.
          expect(await shownServer(html`<matrix-login></matrix-login>`)).to.equal("");
        });
      }
    }

    it("shows only its own choice if the user declined on another page", async () => {
      const starter = '{"element":"matrix-login","persist":"none","sessionKey":"home"}';
      const login = { appState: { homeserver: "chosen.example", starter } };
      history.replaceState(null, "", servers.decline(await authorizationUrl(servers, login)));
      const cancelled = nextEvent(document, "oidc-cancel");
      const callback = await fixture(html`<oidc-callback></oidc-callback>`);
      await cancelled;
      callback.remove();
      const shown = (key: string) =>
        shownServer(html`<matrix-login session-key=${key}></matrix-login>`);
      expect([await shown("work"), await shown("home")]).to.deep.equal(["", "chosen.example"]);
    });

    it("shows success, without an event, in a popup that stays open after its opener's success", async () => {
      const state = "mae-1;popup";
      const postMessage = (): void => {
        const data = { state, outcome: "success" };
        window.dispatchEvent(new MessageEvent("message", { data, origin: location.origin }));
      };
      stub(window, "opener", { value: { postMessage } });
      stub(window, "close", { value: () => undefined });
      const events = recordEvents(document, "matrix-login-success");
      history.replaceState(null, "", `${href}#${new URLSearchParams({ state, code: "c" })}`);
      const element = await make();
      await inState(element, "success");
      expect(part(element, "notice").textContent).to.equal("You’re signed in.");
      expect(events).to.deep.equal([]);
    });

    it("isn't picked up by another element after cancel()", async () => {
      const late = hold(servers, "/token");
      await comeBackFrom();
      const events = recordEvents(document, "matrix-login-success", "matrix-login-cancel");
      const element = await make();
      await late.asked;
      element.cancel();
      late.release();
      await waitFor(() => timesOf("/revoke").length > 0, "the tokens are not revoked");
      element.remove();
      await ready();
      expect(events).to.deep.equal(["matrix-login-cancel"]);
    });

    for (const [which, deviceId] of [
      ["the same device", "LAPTOP"],
      ["another device", undefined],
    ] as const) {
      it(`keeps the existing session if the sign-in on ${which} is cancelled`, async () => {
        const running = new LegacySession(servers.signIn("alice", { deviceId: "LAPTOP" }), {
          store: "localStorage",
        });
        await running.stored;
        const late = hold(servers, "/token");
        const login = { ...(deviceId && { deviceId }) };
        history.replaceState(null, "", servers.approve(await authorizationUrl(servers, login)));
        const element = await make(persistent);
        await late.asked;
        element.cancel();
        late.release();
        // Tokens are not revoked if the sign-in uses the session's device.
        if (deviceId) await untilQuiet();
        else await waitFor(() => timesOf("/revoke").length > 1, "the tokens are not revoked");
        expect(timesOf("/revoke")).to.have.length(deviceId ? 0 : 2);
        expect(timesOf("/logout")).to.deep.equal([]);
        expect(running.state).to.equal("signed-in");
        const [kept] = await listSessions({ store: "localStorage" });
        expect(kept?.deviceId).to.equal("LAPTOP");
        expect(element.session).to.be.undefined;
        running.close();
      });
    }

    it("uses the code again with Try again after a temporary failure", async () => {
      servers.refuse("/token", 503, {});
      await comeBackFrom();
      const element = await make();
      await inState(element, "error");
      part(element, "retry").click();
      await inState(element, "success");
    });
  });
});
