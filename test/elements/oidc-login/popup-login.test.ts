import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  LegacySession,
  hasSession,
  listSessions,
  restoreSession,
  type OidcLoginElement,
  type SessionStore,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, nextEvent, part, recordEvents } from "../support/element.js";
import {
  HOMESERVER,
  TOKEN,
  goOffline,
  hold,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

/** The first access token, after a client registration and a code. */
const ACCESS_TOKEN = "access-token-3";

/** End-to-end tests open a real popup; here the test sends the popup's messages. */
describe('<oidc-login mode="popup">', () => {
  let servers: TestServers;
  let popups: number;
  let channel: BroadcastChannel | undefined;

  beforeEach(async () => {
    servers = await useTestServers();
    sessionStorage.clear();
    localStorage.clear();
    popups = 0;
    stub(window, "open", { value: () => ((popups += 1), null) });
  });
  afterEach(() => {
    channel?.close();
    channel = undefined;
    restoreStubs();
  });

  const make = (homeserver = ""): Promise<OidcLoginElement> =>
    fixture(html`<oidc-login mode="popup" homeserver=${homeserver}></oidc-login>`);

  /** Starts a sign-in that waits for its popup, which shows the provider's page. */
  const waiting = async (settings: Partial<OidcLoginElement> = {}) => {
    const element = Object.assign(await make(HOMESERVER), settings);
    await element.login();
    await inState(element, "waiting");
    const page = part<HTMLAnchorElement>(element, "link").href;
    return { element, page, state: new URL(page).searchParams.get("state") ?? "" };
  };

  /** Like `waiting()`, with a token response that the test releases. */
  const waitingForTokens = async (
    whileWaiting?: (element: OidcLoginElement) => void,
    settings?: Partial<OidcLoginElement>,
  ) => {
    const { asked, release } = hold(servers, "/token");
    const login = await waiting(settings);
    whileWaiting?.(login.element);
    await untilQuiet();
    const messages = respond(login);
    await asked;
    return { ...login, messages, release };
  };

  interface Opened {
    readonly page: string;
    readonly state: string;
  }

  /** Sends the response as an isolated popup does. @returns The messages that the popup receives. */
  const respond = (
    { page, state }: Opened,
    response = servers.approve(page),
  ): readonly unknown[] => {
    const messages: unknown[] = [];
    channel = new BroadcastChannel(`matrix-auth-elements:${state}`);
    channel.addEventListener("message", ({ data }) => messages.push(data));
    channel.postMessage({ state, response });
    return messages;
  };

  it("opens one popup when a listener of oidc-error sets the homeserver and calls login()", async () => {
    const element = await make();
    await element.prepare();
    element.addEventListener("oidc-error", () => {
      element.homeserver = HOMESERVER;
      void element.login();
    });
    await element.login();
    await inState(element, "waiting");
    expect(popups).to.equal(1);
    element.cancel();
  });

  const forbidChannels = (): void =>
    stub(window, "BroadcastChannel", {
      value: function BroadcastChannel() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });

  for (const [where, arrange, keepsOpener] of [
    ["has no opener", () => undefined, false],
    ["keeps its opener when the browser allows no BroadcastChannel", forbidChannels, true],
  ] as const) {
    it(`opens the provider in a popup that ${where}`, async () => {
      arrange();
      const leaving: boolean[] = [];
      const popup = {
        opener: window as Window | null,
        closed: false,
        document: document.implementation.createHTMLDocument(),
        location: { replace: () => leaving.push(popup.opener !== null) },
        close: () => (popup.closed = true),
      };
      stub(window, "open", { value: () => popup });
      const element = await make(HOMESERVER);
      await element.login();
      expect(element.state).to.equal("waiting");
      expect(leaving).to.deep.equal([keepsOpener]);
      element.cancel();
    });
  }

  for (const [mode, later] of [
    ["popup", "redirect"],
    ["redirect", "popup"],
  ] as const) {
    it(`keeps mode="${mode}" when the page sets ${later} while the homeserver is being looked up`, async () => {
      const { asked, release } = hold(servers, "/auth_metadata");
      const element = await make(HOMESERVER);
      element.mode = mode;
      let url = "";
      element.addEventListener("oidc-redirect", (event) => {
        event.preventDefault();
        ({ url } = event.detail);
      });
      const login = element.login();
      await asked;
      element.mode = later;
      release();
      await login;
      const state = new URL(url).searchParams.get("state");
      expect(state?.endsWith(";popup")).to.equal(mode === "popup");
      expect(popups).to.equal(mode === "popup" ? 1 : 0);
      element.cancel();
    });
  }

  it("is busy while it waits for the popup, but can be pressed", async () => {
    const { element } = await waiting();
    const button = part(element, "button");
    expect([button.ariaBusy, button.ariaDisabled]).to.deep.equal(["true", null]);
    expect(button.querySelector("[part=spinner]")).to.exist;
    element.cancel();
    await element.updateComplete;
    expect(button.ariaBusy).to.equal(null);
  });

  it("reports cancelled, and hides its cancel button, when the button is clicked", async () => {
    const { element } = await waiting();
    const cancelled = nextEvent(element, "oidc-cancel");
    part(element, "cancel").click();
    expect((await cancelled).detail).to.deep.equal({ reason: "cancelled" });
    await element.updateComplete;
    expect(element.shadowRoot?.querySelector("[part=cancel], [part=link]")).to.be.null;
  });

  it("shows that the user has declined, without the provider's message", async () => {
    const { element, ...opened } = await waiting();
    respond(opened, `${servers.decline(opened.page)}&error_description=Not+%3Cb%3Eyou`);
    await waitFor(() => part(element, "text").textContent === "Sign-in was cancelled.");
  });

  it("shows that the sign-in was cancelled, until the next one", async () => {
    const { element, ...opened } = await waiting();
    const refused = nextEvent(element, "oidc-cancel");
    respond(opened, servers.decline(opened.page));
    expect((await refused).detail).to.deep.equal({ reason: "refused" });
    await element.updateComplete;
    expect(part(element, "text").textContent).to.equal("Sign-in was cancelled.");
    await element.login();
    await inState(element, "waiting");
    expect(part(element, "text").textContent).not.to.contain("did not");
    element.cancel();
  });

  for (const [rel, arrange] of [
    ["noopener", () => undefined],
    ["opener", forbidChannels],
  ] as const) {
    it(`shows a link with rel=${rel} instead of a blocked popup ${rel === "opener" ? "without" : "with"} BroadcastChannel`, async () => {
      arrange();
      const { element } = await waiting();
      expect(part<HTMLAnchorElement>(element, "link").rel).to.equal(rel);
      const text = part(element, "text");
      const lines = text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight);
      expect(lines, "the link's line is higher").to.be.closeTo(Math.round(lines), 0.1);
      element.cancel();
    });
  }

  describe("whose window looks closed", () => {
    /** Opens a popup that the test controls. A minute passes at each look at the clock. */
    const opened = async () => {
      let looks = 0;
      const popup = {
        looksClosed: false,
        document: document.implementation.createHTMLDocument(),
        location: { href: "about:blank", replace: () => undefined },
        get closed(): boolean {
          looks++;
          return popup.looksClosed;
        },
        close: () => undefined,
      };
      stub(window, "open", { value: () => popup });
      let now = 0;
      stub(performance, "now", { value: () => (now += 60_000) });
      const element = await make(HOMESERVER);
      const redirect = nextEvent(element, "oidc-redirect");
      await element.login();
      const { url: page } = (await redirect).detail;
      const state = new URL(page).searchParams.get("state") ?? "";
      const looked = async (times: number): Promise<void> => {
        looks = 0;
        await waitFor(() => looks >= times, "nothing looks at the popup");
      };
      return { element, popup, page, state, looked };
    };

    /** A page of the provider has arrived, and a later one cuts off the popup. */
    const cutOffLater = async () => {
      const login = await opened();
      login.popup.location.href = "https://account.example/";
      await login.looked(2);
      const cancelled = nextEvent(login.element, "oidc-cancel");
      login.popup.looksClosed = true;
      expect((await cancelled).detail).to.deep.equal({ reason: "closed" });
      return login;
    };

    it("waits for a popup that the provider's slow page has isolated", async () => {
      const { element, popup, looked, ...login } = await opened();
      const events = recordEvents(element, "oidc-cancel", "oidc-success");
      await looked(1);
      popup.looksClosed = true;
      await looked(1);
      expect(element.state).to.equal("waiting");
      const success = nextEvent(element, "oidc-success");
      respond(login);
      await success;
      expect(events).to.deep.equal(["oidc-success"]);
    });

    it("signs in even if a later page of the provider has isolated the popup", async () => {
      const { element, ...login } = await cutOffLater();
      expect(element.state).to.equal("ready");
      const { asked, release } = hold(servers, "/token");
      const success = nextEvent(element, "oidc-success");
      respond(login);
      await asked;
      expect(element.state).to.equal("waiting");
      release();
      await success;
      await inState(element, "ready");
    });

    it("ignores the response of such a popup after cancel()", async () => {
      const { element, ...login } = await cutOffLater();
      element.cancel();
      respond(login);
      await untilQuiet();
      expect(logOf(servers)).not.to.include(TOKEN);
      expect(element.state).to.equal("ready");
    });
  });

  it("completes by postMessage when the browser allows no BroadcastChannel", async () => {
    forbidChannels();
    const { element, page, state } = await waiting();
    const success = nextEvent(element, "oidc-success");
    const { port1: source, port2: opened } = new MessageChannel();
    const outcome = new Promise((resolve) => {
      opened.onmessage = ({ data }: MessageEvent<{ outcome?: unknown }>) => {
        if (data.outcome) resolve(data.outcome);
      };
    });
    const { origin } = location;
    const data = { state, response: servers.approve(page) };
    window.dispatchEvent(new MessageEvent("message", { data, origin, source }));
    expect((await success).detail.tokenResponse.access_token).to.equal(ACCESS_TOKEN);
    expect(await outcome).to.equal("success");
    opened.close();
  });

  it("acknowledges the response to the popup immediately, and then reports the outcome", async () => {
    const { state, messages, release } = await waitingForTokens();
    await waitFor(() => messages.length > 0, "nothing is acknowledged");
    expect(messages).to.deep.equal([{ state, acknowledged: true }]);
    release();
    await waitFor(() => messages.length > 1, "the outcome is not reported");
    expect(messages[1]).to.deep.equal({ state, outcome: "success" });
  });

  describe("with persist", () => {
    const signedIn = async (settings: Partial<OidcLoginElement>): Promise<OidcLoginElement> => {
      const { element, ...opened } = await waiting(settings);
      const success = nextEvent(element, "oidc-success");
      respond(opened);
      await success;
      return element;
    };

    for (const [what, settings] of [
      ["without persist", {}],
      ['with persist="none"', { persist: "none" }],
    ] as const) {
      it(`has a session in memory ${what}, so that the page can sign out`, async () => {
        const { session, client } = await signedIn(settings);
        expect(client).to.exist;
        expect(session?.state).to.equal("signed-in");
        expect(await session?.signOut()).to.be.true;
      });
    }

    it("keeps the session under its key before oidc-success", async () => {
      const element = await signedIn({ persist: "local", sessionKey: "work" });

      expect(hasSession({ store: "localStorage", key: "work" })).to.be.true;
      expect(await element.session?.accessToken()).to.equal(ACCESS_TOKEN);
      element.session?.close();
    });

    it("keeps the user ID in the session", async () => {
      const { session } = await signedIn({ persist: "local" });
      await waitFor(() => session?.user.userId !== undefined, "the user is unknown");

      const restored = await restoreSession({ store: "localStorage" });
      expect(restored?.user.userId).to.equal("@alice:hs.example");
      session?.close();
      restored?.close();
    });

    it("keeps the session in a custom store", async () => {
      const items = new Map<string, string>();
      const store: SessionStore = {
        getItem: (key) => items.get(key),
        setItem: (key, value) => items.set(key, value),
        removeItem: (key) => items.delete(key),
      };
      const element = await signedIn({ store });

      expect(hasSession({ store })).to.be.true;
      element.session?.close();
    });
  });

  describe("when its completion fails", () => {
    /** Starts a sign-in whose provider has responded, and whose completion has failed. */
    const failed = async (code: string): Promise<OidcLoginElement> => {
      const { element, ...opened } = await waiting({ persist: "local" });
      const error = nextEvent(element, "oidc-error");
      respond(opened);
      expect((await error).detail.code).to.equal(code);
      await inState(element, "error");
      return element;
    };
    const codes = (): readonly (string | null)[] =>
      servers.requests
        .filter(({ method, url }) => `${method} ${url}` === TOKEN)
        .map(({ body }) => new URLSearchParams(body).get("code"));
    const click = (element: OidcLoginElement): void => part(element, "button").click();

    it("retries on each click with the same response, without a popup, while the network is down", async () => {
      const reset = goOffline(servers, "/token");
      const element = await failed("network_error");
      const again = nextEvent(element, "oidc-error");
      click(element);
      await again;
      reset();
      const success = nextEvent(element, "oidc-success");
      click(element);
      const { tokenResponse } = (await success).detail;

      expect(await element.session?.accessToken()).to.equal(tokenResponse.access_token);
      expect(hasSession({ store: "localStorage" })).to.be.true;
      expect(popups).to.equal(1);
      expect(codes()).to.have.length(3);
      expect(new Set(codes())).to.have.length(1);
      element.session?.close();
    });

    it("tries again without the code if only the signing keys could not be loaded", async () => {
      const reset = goOffline(servers, "/keys");
      const element = await failed("keys_unavailable");
      reset();
      const success = nextEvent(element, "oidc-success");
      click(element);
      await success;

      expect(popups).to.equal(1);
      expect(codes()).to.have.length(1);
      element.session?.close();
    });

    it("starts over on a click if the provider has rejected the code", async () => {
      servers.refuse("/token", 400, { error: "invalid_grant" });
      const element = await failed("code_rejected");
      click(element);
      await inState(element, "waiting");

      expect(popups).to.equal(2);
      expect(codes()).to.have.length(1);
      element.cancel();
    });
  });

  it("reports its return URL in oidc-success, and stays when that is prevented", async () => {
    const { element, ...opened } = await waiting({ returnTo: "#returned" });
    element.addEventListener("oidc-success", (event) => event.preventDefault());
    const success = nextEvent(element, "oidc-success");
    respond(opened);
    const { detail } = await success;
    expect(detail.returnTo).to.equal(new URL("#returned", document.baseURI).href);
    await untilQuiet();
    expect(location.hash).not.to.equal("#returned");
  });

  describe("moved in the document", () => {
    /** Moves the element, as a framework does that reorders a list. */
    const move = (element: OidcLoginElement): void => {
      const home = element.parentElement;
      element.remove();
      home?.append(element);
    };

    it("opens its popup even if it is moved while its code is loading or during the lookup of the homeserver", async () => {
      const late = hold(servers, "/auth_metadata");
      const element = await make(HOMESERVER);
      const cancelled = recordEvents(element, "oidc-cancel", "oidc-error");
      const login = element.login();
      move(element);
      await late.asked;
      move(element);
      await untilQuiet();
      late.release();
      await login;
      expect(element.state).to.equal("waiting");
      expect(cancelled).to.deep.equal([]);
    });

    it("signs in when it is moved while its popup is open and during the token request", async () => {
      const { element, release } = await waitingForTokens(move);
      const success = nextEvent(element, "oidc-success");
      move(element);
      await untilQuiet();
      release();
      expect((await success).detail.tokenResponse.access_token).to.equal(ACCESS_TOKEN);
    });
  });

  describe("cancellation during the token request", () => {
    /** A request is there before its body is read. */
    const revoked = (): readonly string[] =>
      servers.requests
        .filter(({ url }) => url.endsWith("/revoke"))
        .flatMap(({ body }) => new URLSearchParams(body).get("token") ?? []);

    for (const [way, status] of [
      ["cancel", 200],
      ["remove", 200],
      ["cancel", 503],
    ] as const) {
      it(`revokes the tokens and reports neither success nor error after ${way}(), with HTTP ${status}`, async () => {
        if (status !== 200) servers.refuse("/revoke", status, {}, { times: Infinity });
        const { element, release, state, messages } = await waitingForTokens();
        const events = recordEvents(element, "oidc-success", "oidc-error");
        const rejections = recordEvents(window, "unhandledrejection");
        element[way]();
        await waitFor(() => messages.length > 1, "the outcome is not reported");
        expect(messages.at(-1)).to.deep.equal({ state, outcome: "cancelled" });
        release();
        await waitFor(() => revoked().length >= (status === 200 ? 2 : 1), "nothing is revoked");
        await untilQuiet();
        // Both requests are sent at the same time.
        if (status === 200) expect(revoked()).to.have.members(["refresh-token-4", ACCESS_TOKEN]);
        expect(events).to.deep.equal([]);
        expect(rejections).to.deep.equal([]);
        expect(element.result).to.be.undefined;
        expect(element.error).to.be.undefined;
      });
    }

    it("revokes no tokens of a device that the page named, because its other session might be in use", async () => {
      const { element, release } = await waitingForTokens(undefined, { deviceId: "LAPTOP" });
      element.cancel();
      release();
      await untilQuiet();
      expect(logOf(servers)).to.include(TOKEN);
      expect(revoked()).to.deep.equal([]);
    });

    it("keeps the existing session with persist", async () => {
      const running = new LegacySession(servers.signIn("alice"), { store: "localStorage" });
      await running.stored;
      const { element, release } = await waitingForTokens(undefined, { persist: "local" });
      element.cancel();
      release();
      await waitFor(() => revoked().length > 1, "nothing is revoked");
      expect(running.state).to.equal("signed-in");
      const [kept] = await listSessions({ store: "localStorage" });
      expect(kept?.deviceId).to.equal(running.user.deviceId);
      running.close();
    });

    it("does not use the code again when a retry is cancelled immediately", async () => {
      servers.refuse("/token", 503, {}, { times: Infinity });
      const { element, ...opened } = await waiting();
      respond(opened);
      await inState(element, "error");
      void element.login();
      element.cancel();
      await untilQuiet();
      expect(logOf(servers).filter((request) => request === TOKEN)).to.have.length(1);
    });
  });
});
