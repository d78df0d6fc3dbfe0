import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { render } from "lit";
import "matrix-auth-elements/define";
import type { OidcErrorEvent, OidcLoginElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { Clock, idle, until } from "../../support/clock.js";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part, recordEvents } from "../support/element.js";
import {
  AUTH_METADATA,
  DISCOVERY,
  HOMESERVER,
  REGISTRATION,
  WELL_KNOWN,
  bodiesTo,
  goOffline,
  hold,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { resize, resizeBack } from "../support/viewport.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

const PROVIDER = "https://idp.example";

describe("<oidc-login>", () => {
  let servers: TestServers;

  // The test page must stay open. The event does not bubble, so the listener captures it.
  const stay = (event: Event): void => event.preventDefault();
  before(() => document.addEventListener("oidc-redirect", stay, { capture: true }));
  after(() => document.removeEventListener("oidc-redirect", stay, { capture: true }));

  beforeEach(async () => {
    servers = await useTestServers();
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(restoreStubs);
  afterEach(resizeBack);

  const make = async (properties: Partial<OidcLoginElement> = { homeserver: HOMESERVER }) =>
    Object.assign(await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`), properties);

  it("is as wide as its label", async () => {
    const element = await make({ prompt: "create" });
    await element.updateComplete;
    const label = part(element, "label");
    expect(label.offsetHeight).to.be.below(2 * parseFloat(getComputedStyle(label).lineHeight));
  });

  for (const [given, ms] of [
    [undefined, 30_000],
    ["60000", 60_000],
    ["soon", 30_000],
    ["0", 30_000],
  ] as const) {
    it(`limits each request to ${ms} ms with timeout-ms="${given}"`, async () => {
      stub(globalThis, "fetch", { value: () => new Promise(() => undefined) });
      const clock = new Clock();
      const element = await make();
      if (given !== undefined) element.setAttribute("timeout-ms", given);
      void element.prepare();

      await until(() => clock.pending.includes(ms));
      expect(clock.pending).not.to.include(ms === 60_000 ? 30_000 : 10_000);
    });
  }

  it("applies timeout-ms to the registration, and shows that the provider is slow", async () => {
    const element = await ready();
    hold(servers, REGISTRATION);
    element.timeoutMs = 1;
    await element.login();

    expect(element.error).to.include({ code: "timeout" });
    expect(part(element, "error").textContent).to.contain("taking too long to respond");
  });

  const ready = async (properties: Partial<OidcLoginElement> = {}) => {
    const element = await make({ homeserver: HOMESERVER, ...properties });
    // The browser decides when the element would do so by itself.
    await element.prepare();
    expect(element.state).to.equal("ready");
    await element.updateComplete;
    return element;
  };

  /** Serves another homeserver, whose provider's URL contains its name. */
  const serveHomeserver = (name: string): Promise<TestServers> =>
    useTestServers({
      homeserver: `https://${name}`,
      issuer: `https://idp-${name}/`,
      fetch: window.fetch,
    });

  /** Resolves when the browser has reported whether the element is in sight, and has been idle since. */
  const checkedVisibility = async (element: OidcLoginElement): Promise<void> => {
    await new Promise((resolve) => new IntersectionObserver(resolve).observe(element));
    await new Promise((resolve) => {
      // WebKit has no requestIdleCallback.
      if (typeof requestIdleCallback === "function") requestIdleCallback(resolve);
      else void idle().then(resolve);
    });
  };

  /** Clicks. @returns The URL that the page would navigate to. */
  const clickedUrl = async (element: OidcLoginElement): Promise<URL> => {
    const redirect = nextEvent(element, "oidc-redirect");
    part(element, "button").click();
    return new URL((await redirect).detail.url);
  };

  const errorText = async (element: OidcLoginElement): Promise<string> => {
    await inState(element, "error");
    return part(element, "error").textContent?.trim() ?? "";
  };

  /** The parsed body of the last registration. */
  const registered = (): unknown => bodiesTo(servers, "POST /register").at(-1);

  describe("at any moment before the redirect", () => {
    let release: () => void;
    const moments: Readonly<Record<string, () => Promise<OidcLoginElement>>> = {
      "before its code is loaded": () => make(),
      async "during discovery"() {
        const late = hold(servers, "/auth_metadata");
        ({ release } = late);
        const element = await make();
        void element.prepare();
        await late.asked;
        return element;
      },
      "when it is ready": () => ready(),
    };
    beforeEach(() => (release = () => undefined));

    for (const [moment, start] of Object.entries(moments)) {
      it(`is busy when it is clicked ${moment}, and then redirects`, async () => {
        const element = await start();
        const url = clickedUrl(element);
        await element.updateComplete;
        expect(part(element, "button").getAttribute("aria-busy")).to.equal("true");
        expect(part(element, "spinner")).to.exist;
        expect(getComputedStyle(part(element, "label")).opacity).to.equal("1");
        release();
        expect((await url).origin).to.equal(PROVIDER);
        expect(logOf(servers)).to.deep.equal([...DISCOVERY, REGISTRATION]);
      });

      it(`starts one sign-in when login() is called several times ${moment}`, async () => {
        const element = await start();
        const events = recordEvents(element, "oidc-login-start", "oidc-redirect");
        const logins = [element.login(), element.login(), element.prepare(), element.login()];
        release();
        await Promise.all(logins);
        expect(events).to.deep.equal(["oidc-login-start", "oidc-redirect"]);
        expect(logOf(servers)).to.deep.equal([...DISCOVERY, REGISTRATION]);
      });

      it(`is idle and reports only oidc-cancel when cancel() follows login() ${moment}`, async () => {
        const element = await start();
        const events = recordEvents(element, "oidc-cancel", "oidc-redirect", "oidc-error");
        const cancelled = nextEvent(document, "oidc-cancel");
        const login = element.login();
        element.cancel();
        // The element may prepare again as soon as it is visible.
        expect(element.state).to.equal("idle");
        release();
        await login;
        expect((await cancelled).detail).to.deep.equal({ reason: "cancelled" });
        expect(events).to.deep.equal(["oidc-cancel"]);
        expect(logOf(servers)).not.to.include(REGISTRATION);
      });

      it(`is idle, aborts its request and sends no other when it is removed ${moment}`, async () => {
        const element = await start();
        const sent = servers.requests.length;
        void element.login();
        element.remove();
        // The page might only move it.
        await Promise.resolve();
        expect(element.state).to.equal("idle");
        release();
        await untilQuiet();
        expect(servers.requests).to.have.length(sent);
        if (moment === "during discovery") {
          expect(servers.requests.at(-1)?.signal.aborted).to.be.true;
        }
        expect(element.error).to.be.undefined;
      });
    }
  });

  describe("without a click", () => {
    it("becomes ready when it is visible, with three requests, two of them at once, and no registration", async () => {
      const element = await ready();
      expect(logOf(servers)).to.deep.equal(DISCOVERY);
      expect(element.matches(":state(ready)")).to.be.true;
      expect(element.matches(":state(idle)")).to.be.false;
    });

    for (const [when, ms, requests, origin] of [
      ["with the provider that it found", 59 * 60_000, [REGISTRATION], PROVIDER],
      [
        "with the provider that the homeserver names now",
        61 * 60_000,
        [
          WELL_KNOWN,
          "GET https://idp-moved.example/.well-known/openid-configuration",
          AUTH_METADATA,
          "POST https://idp-moved.example/register",
        ],
        "https://idp-moved.example",
      ],
    ] as const) {
      it(`redirects ${when} when it is clicked ${ms / 60_000} minutes after its discovery`, async () => {
        const element = await ready();
        const before = servers.requests.length;
        const issuer = "https://idp-moved.example/";
        const moved = await useTestServers({ issuer, fetch: window.fetch });
        const later = Date.now() + ms;
        stub(Date, "now", { value: () => later });
        expect((await clickedUrl(element)).origin).to.equal(origin);
        expect([...logOf(servers).slice(before), ...logOf(moved)]).to.deep.equal(requests);
      });
    }

    it("sends no request while it is off-screen, until the pointer enters it", async () => {
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login
          homeserver=${HOMESERVER}
          style="position: absolute; inset-block-start: 20000px"
        ></oidc-login>`,
      );
      await checkedVisibility(element);
      expect(element.state).to.equal("idle");
      expect(logOf(servers)).to.deep.equal([]);
      element.dispatchEvent(new PointerEvent("pointerenter"));
      await inState(element, "ready");
    });

    it("takes the same space before and after its code is loaded", async () => {
      const element = await make();
      const before = element.getBoundingClientRect();
      expect(element.state).to.equal("idle");
      await element.prepare();
      await element.updateComplete;
      expect(element.getBoundingClientRect()).to.deep.equal(before);
      expect(before.height).to.equal(part(element, "button").getBoundingClientRect().height);
    });

    it("stays idle without a homeserver, and prompts for one on each click", async () => {
      const element = await make({});
      await checkedVisibility(element);
      expect(element.matches(":state(idle)")).to.be.true;
      for (let click = 0; click < 2; click += 1) {
        const error = nextEvent(element, "oidc-error");
        part(element, "button").click();
        expect((await error).detail.code).to.equal("homeserver_missing");
        expect(await errorText(element)).to.equal("Enter your homeserver.");
        // A user cannot click twice in one task.
        await aTimeout(0);
      }
    });

    it("shows nothing while the homeserver cannot be reached, until it is clicked", async () => {
      goOffline(servers);
      const element = await make();
      const errors = recordEvents(element, "oidc-error");
      await waitFor(() => logOf(servers).includes(AUTH_METADATA));
      await inState(element, "idle");
      expect(errors).to.deep.equal([]);
      expect(element.error).to.be.undefined;
      part(element, "button").click();
      expect(await errorText(element)).to.contain("Can’t reach");
      expect(errors).to.deep.equal(["oidc-error"]);
    });

    it("is unsupported if the homeserver lacks OAuth 2.0, and shows this when it is clicked", async () => {
      servers = await useTestServers({ login: ["password"] });
      const element = await make();
      const errors = recordEvents(element, "oidc-error");
      await inState(element, "unsupported");
      await element.prepare();
      expect(element.matches(":state(unsupported)")).to.be.true;
      expect(element.error).to.be.undefined;
      expect(errors).to.deep.equal([]);
      const sent = servers.requests.length;
      part(element, "button").click();
      expect(await errorText(element)).to.contain("doesn’t support this sign-in method");
      expect(element.error?.code).to.equal("oidc_not_supported");
      expect(errors).to.deep.equal(["oidc-error"]);
      expect(servers.requests).to.have.length(sent);
    });

    it("sends no request to a homeserver with an incomplete name before a click", async () => {
      const element = await make({});
      await checkedVisibility(element);
      const clock = new Clock();
      for (const typed of ["l", "lo", "loc"]) {
        element.homeserver = typed;
        await element.updateComplete;
      }
      await clock.pass(600);
      await untilQuiet();
      expect(logOf(servers)).to.deep.equal([]);
      expect(element.state).to.equal("idle");
      // These marks would turn the rest of the message around.
      element.homeserver = "loc\u2069\u202E";
      await element.login();
      expect(logOf(servers)[0]).to.equal("GET https://loc/.well-known/matrix/client");
      expect(await errorText(element)).to.equal(
        "Can’t reach \u2068loc\u2069. Check the name and your connection.",
      );
    });

    it("requests only the issuer's metadata when only an issuer is set", async () => {
      const url = `${PROVIDER}/.well-known/openid-configuration`;
      await ready({ homeserver: "", issuer: PROVIDER });
      expect(logOf(servers)).to.deep.equal([`GET ${url}`]);
    });
  });

  describe("next to others for the same homeserver", () => {
    it("sends one request for all, during their preparation and after it", async () => {
      const elements = [await make(), await make()];
      await Promise.all(elements.map((element) => element.prepare()));
      elements.push(await ready());

      expect(elements.map(({ state }) => state)).to.deep.equal(["ready", "ready", "ready"]);
      expect(logOf(servers)).to.deep.equal(DISCOVERY);
    });

    it("is ready even if the element that sent the request was removed", async () => {
      const late = hold(servers, "/auth_metadata");
      const first = await make();
      void first.prepare();
      await late.asked;
      const second = await make();
      const prepared = second.prepare();
      await inState(second, "preparing");
      first.remove();
      // An element that has been moved is back by now.
      await untilQuiet();
      late.release();
      await prepared;

      expect(second.state).to.equal("ready");
      expect(logOf(servers)).to.deep.equal(DISCOVERY);
    });

    it("sends a new request if no other element is on the page", async () => {
      (await ready()).remove();
      await untilQuiet();
      await ready();

      expect(logOf(servers)).to.deep.equal([...DISCOVERY, ...DISCOVERY]);
    });

    it("sends one new request for all when the user retries after a failed sign-in", async () => {
      const elements = [await ready(), await ready()];
      const refusal = { error: "invalid_client_metadata" };
      servers.refuse("/register", 400, refusal, { times: Infinity });
      for (const element of elements) {
        part(element, "button").click();
        await inState(element, "error");
      }
      const before = logOf(servers).length;
      for (const element of elements) await element.prepare();

      expect(elements.map(({ state }) => state)).to.deep.equal(["ready", "ready"]);
      expect(logOf(servers).slice(before)).to.deep.equal(DISCOVERY);
    });

    it("sends a new request when the user retries after a failure", async () => {
      const reconnect = goOffline(servers, "/auth_metadata");
      const elements = [await make(), await make()];
      await Promise.all(elements.map((element) => element.prepare()));
      expect(elements.map(({ state }) => state)).to.deep.equal(["error", "error"]);
      reconnect();
      for (const element of elements) await element.prepare();

      expect(elements.map(({ state }) => state)).to.deep.equal(["ready", "ready"]);
      expect(logOf(servers)).to.deep.equal([...DISCOVERY, ...DISCOVERY]);
    });
  });

  describe("on a click", () => {
    for (const [path, expected] of [
      ["/login/localhost%3A8619", "/login/"],
      ["/a_b", "/"],
      ["/app/@alice/x", "/app/"],
      ["/app/sign-in.html", "/app/sign-in.html"],
    ] as const) {
      it(`returns by default from ${path} to ${expected}, which providers accept`, async () => {
        const { href } = location;
        const element = await ready();
        stub(console, "warn", { value: () => undefined });
        history.replaceState(null, "", path);
        const leaving = clickedUrl(element);
        const url = await leaving;
        history.replaceState(null, "", href);
        expect(url.searchParams.get("redirect_uri")).to.equal(location.origin + expected);
      });
    }

    it("registers and redirects to the provider when it is clicked", async () => {
      const { origin, pathname, searchParams } = await clickedUrl(await ready());
      expect(logOf(servers).slice(3)).to.deep.equal([REGISTRATION]);
      expect(origin + pathname).to.equal(`${PROVIDER}/authorize`);
      expect(Object.fromEntries(searchParams)).to.include({
        client_id: "client-1",
        response_mode: "fragment",
        redirect_uri: location.origin + location.pathname,
        code_challenge_method: "S256",
      });
    });

    it("redirects to the provider when it is clicked before its code is loaded", async () => {
      const element = await make();
      expect(element.state).to.equal("idle");
      const { origin } = await clickedUrl(element);
      expect(origin).to.equal(PROVIDER);
    });

    it("shows its progress while it is busy, and nothing before", async () => {
      const status = (): string | undefined =>
        element.shadowRoot?.querySelector("[role=status]")?.textContent?.trim();
      const found = hold(servers, "/auth_metadata");
      const registered = hold(servers, "/register");
      const element = await make();
      void element.prepare();
      await found.asked;
      expect(status()).to.equal("");
      void element.login();
      await element.updateComplete;
      expect(status()).to.equal("Connecting to the homeserver…");
      found.release();
      await registered.asked;
      await element.updateComplete;
      expect(status()).to.equal("Redirecting to the sign-in page…");
      registered.release();
    });

    it("redirects without a request when client-id is set", async () => {
      const url = await clickedUrl(await ready({ clientId: "mine" }));
      expect(url.searchParams.get("client_id")).to.equal("mine");
      expect(logOf(servers)).not.to.include(REGISTRATION);
    });

    it("registers once when it is clicked again while the sign-in is pending", async () => {
      const element = await ready();
      await clickedUrl(element);
      await clickedUrl(element);
      expect(logOf(servers).slice(3)).to.deep.equal([REGISTRATION]);
    });

    it("sends nothing when oidc-login-start is prevented, or while it is disabled", async () => {
      const element = await ready({ prompt: "create" });
      element.addEventListener("oidc-login-start", (event) => event.preventDefault());
      const start = nextEvent(element, "oidc-login-start");
      await element.login();
      expect((await start).detail).to.deep.equal({ homeserver: HOMESERVER, prompt: "create" });
      const events = recordEvents(element, "oidc-login-start");
      element.disabled = true;
      await element.updateComplete;
      expect(part(element, "button").matches(":disabled")).to.be.true;
      await element.login();
      expect(events).to.deep.equal([]);
      expect(element.state).to.equal("ready");
      expect(logOf(servers)).not.to.include(REGISTRATION);
    });

    it("uses the homeserver that was set just before login(), or in oidc-login-start", async () => {
      const element = await ready({ clientId: "mine" });
      await serveHomeserver("other.example");
      await serveHomeserver("third.example");
      const redirect = nextEvent(element, "oidc-redirect");
      element.homeserver = "other.example";
      void element.login();
      expect((await redirect).detail.url).to.contain("idp-other.example");
      element.addEventListener("oidc-login-start", () => (element.homeserver = "third.example"));
      expect((await clickedUrl(element)).host).to.equal("idp-third.example");
    });

    it("completes the redirect when the homeserver changes during it, and then discovers the new one", async () => {
      const late = hold(servers, "/register");
      const element = await ready();
      const url = clickedUrl(element);
      await inState(element, "redirecting");
      element.homeserver = "gone.example";
      await element.updateComplete;
      late.release();
      expect((await url).origin).to.equal(PROVIDER);
      expect(element.state).to.equal("idle");
      await element.login();
      expect(element.error?.code).to.equal("network_error");
    });

    it("does not leave the page when a listener of oidc-redirect calls cancel()", async () => {
      const body = encodeURIComponent("<oidc-login>");
      const frame = await loadFrame({ src: `/test/elements/support/page.html?body=${body}` });
      const page = frame.contentWindow as unknown as typeof globalThis & Window;
      page.fetch = window.fetch;
      const element = page.document.querySelector("oidc-login");
      if (!element) throw new Error("no element");
      Object.assign(element, { homeserver: HOMESERVER, clientId: "mine" });
      element.addEventListener("oidc-redirect", () => element.cancel());
      const left = recordEvents(page, "beforeunload");
      await element.login();
      await untilQuiet();
      // The element is visible, so it may have prepared again.
      expect(element.state).to.be.oneOf(["idle", "preparing", "ready"]);
      expect(left).to.deep.equal([]);
      frame.remove();
    });
  });

  describe("settings", () => {
    const settings = {
      "client-id": ["clientId", "id"],
      "redirect-uri": ["redirectUri", "/back"],
      "client-name": ["clientName", "An application"],
      "client-uri": ["clientUri", "https://app.example"],
      "logo-uri": ["logoUri", "https://app.example/logo"],
      "tos-uri": ["tosUri", "https://app.example/tos"],
      "policy-uri": ["policyUri", "https://app.example/policy"],
      "login-hint": ["loginHint", "alice"],
      "device-id": ["deviceId", "DEVICE0001"],
      "identity-server": ["identityServer", "https://other-is.example"],
      "return-to": ["returnTo", "/account"],
      "additional-scopes": ["additionalScopes", "urn:synapse:admin:*"],
      "session-key": ["sessionKey", "work"],
      persist: ["persist", "local"],
      "response-mode": ["responseMode", "query"],
      registration: ["registration", "reuse"],
      homeserver: ["homeserver", HOMESERVER],
      issuer: ["issuer", "https://idp.example"],
      prompt: ["prompt", "login"],
    } as const;

    for (const [attribute, [property, value]] of Object.entries(settings)) {
      it(`reads ${attribute} from the attribute and from the property ${property}`, () => {
        const [byAttribute, byProperty] = ["oidc-login", "oidc-login"].map((tag) =>
          document.createElement(tag),
        );
        byAttribute?.setAttribute(attribute, value);
        Object.assign(byProperty as HTMLElement, { [property]: value });
        expect(byAttribute).to.have.property(property, value);
        expect(byProperty).to.have.property(property, value);
      });
    }

    it("sends every setting to the provider, with URLs resolved against the page's URL", async () => {
      const element = await ready({
        redirectUri: "/back",
        clientName: "An application",
        clientUri: "/about",
        logoUri: "/logo.png",
        loginHint: "alice",
        deviceId: "DEVICE0001",
        responseMode: "query",
        prompt: "login",
        additionalScopes: " urn:synapse:admin:*\n email ",
      });
      const { searchParams } = await clickedUrl(element);
      expect(Object.fromEntries(searchParams)).to.include({
        login_hint: "alice",
        prompt: "login",
        response_mode: "query",
        redirect_uri: `${location.origin}/back`,
      });
      expect(searchParams.get("scope")).to.match(
        / urn:matrix:client:device:DEVICE0001 urn:synapse:admin:\* email$/,
      );
      expect(registered()).to.deep.include({
        client_name: "An application",
        client_uri: `${location.origin}/about`,
        logo_uri: `${location.origin}/logo.png`,
        redirect_uris: [`http://${location.hostname}/back`, `${location.origin}/back`],
        application_type: "native",
      });
    });

    for (const [homeserver, loginHint, sent] of [
      [" @alice:hs.example ", undefined, "mxid:@alice:hs.example"],
      ["@alice:hs.example", "bob", "bob"],
      ["@:hs.example", undefined, null],
      ["hs.example", undefined, null],
    ] as const) {
      it(`sends login_hint ${sent} for homeserver "${homeserver}" and login-hint ${loginHint}`, async () => {
        const { searchParams } = await clickedUrl(await ready({ homeserver, loginHint }));
        expect(searchParams.get("login_hint")).to.equal(sent);
      });
    }

    it("prefers clientMetadata's members, except undefined ones, to the attributes", async () => {
      const clientMetadata = {
        clientName: "By property",
        clientUri: undefined as never,
        contacts: ["me@app.example"],
      };
      await clickedUrl(await ready({ clientName: "By attribute", clientUri: "/", clientMetadata }));
      expect(registered()).to.deep.include({
        client_name: "By property",
        client_uri: `${location.origin}/`,
        contacts: ["me@app.example"],
      });
    });

    for (const unset of [null, undefined, ""]) {
      it(`uses the default of each setting that is ${JSON.stringify(unset)}`, async () => {
        const element = await ready();
        for (const [property] of Object.values(settings)) {
          if (property !== "homeserver") Object.assign(element, { [property]: unset });
        }
        await element.updateComplete;
        await inState(element, "ready");
        expect((await clickedUrl(element)).searchParams.get("client_id")).to.equal("client-1");
      });
    }

    it("discovers again when the homeserver changes, and not when the prompt changes", async () => {
      const element = await ready();
      element.prompt = "login";
      await element.updateComplete;
      expect(element.state).to.equal("ready");
      expect((await clickedUrl(element)).searchParams.get("prompt")).to.equal("login");
      expect(logOf(servers)).to.deep.equal([...DISCOVERY, REGISTRATION]);
      const other = await serveHomeserver("other.example");
      element.homeserver = "other.example";
      await element.updateComplete;
      expect(element.state).to.equal("idle");
      await inState(element, "ready");
      expect(servers.requests).to.have.length(4);
      expect(logOf(other)).to.deep.equal([
        "GET https://other.example/.well-known/matrix/client",
        "GET https://idp-other.example/.well-known/openid-configuration",
        "GET https://other.example/_matrix/client/v1/auth_metadata",
      ]);
    });
  });

  describe("errors", () => {
    const mistakes: [string, Partial<OidcLoginElement>, string][] = [
      ["no homeserver's address", { homeserver: "not a name" }, "homeserver_invalid"],
      ["a homeserver over plain http", { homeserver: "http://hs.example" }, "homeserver_invalid"],
      ["an unknown response-mode", { responseMode: "smoke" as "query" }, "settings_invalid"],
      ["an unknown registration", { registration: "never" as "reuse" }, "settings_invalid"],
      ["another origin in return-to", { returnTo: "https://evil.example/" }, "settings_invalid"],
      ["a script in return-to", { returnTo: "javascript:alert(1)" }, "settings_invalid"],
      ["a blob in return-to", { returnTo: `blob:${location.origin}/1` }, "settings_invalid"],
      ["two slashes in return-to", { returnTo: "//evil.example" }, "settings_invalid"],
      ["a backslash in return-to", { returnTo: "/\\evil.example" }, "settings_invalid"],
      ["no address in redirect-uri", { redirectUri: "https://[" }, "settings_invalid"],
      ["no text in homeserver", { homeserver: {} as never }, "settings_invalid"],
      ["no text in login-hint", { loginHint: Symbol("alice") as never }, "settings_invalid"],
      ["no text in return-to", { returnTo: Object.create(null) as never }, "settings_invalid"],
      ["no object in clientMetadata", { clientMetadata: "x" as never }, "settings_invalid"],
      ["an issuer that is not a URL", { homeserver: "", issuer: "idp" }, "issuer_invalid"],
    ];
    for (const [what, properties, code] of mistakes) {
      it(`reports ${code} for ${what}`, async () => {
        const reported = nextEvent(document, "oidc-error");
        const element = await make({ homeserver: HOMESERVER, ...properties });
        void element.prepare();
        const { detail } = await reported;
        expect(detail.code).to.equal(code);
        expect(detail.error.message).to.be.a("string");
        expect(element.error).to.equal(detail.error);
        expect(await errorText(element)).not.to.equal("");
      });
    }

    it("shows prompt_not_supported when the issuer does not offer prompt=create", async () => {
      servers = await useTestServers({ metadata: { prompt_values_supported: undefined } });
      const element = await make({ homeserver: HOMESERVER, prompt: "create" });
      await element.prepare();
      expect(await errorText(element)).to.contain("doesn’t let you create an account");
      expect(element.error?.code).to.equal("prompt_not_supported");
    });

    it("shows that a server cannot be reached, and tries again on the next click", async () => {
      const reconnect = goOffline(servers, "/auth_metadata");
      const element = await make();
      await element.prepare();
      expect(await errorText(element)).to.contain(`Can’t reach \u2068${HOMESERVER}\u2069.`);
      // A screen reader reads it with the button.
      const describing = part(element, "button").getAttribute("aria-describedby");
      expect(part(element, "error").closest(`#${describing}`)).to.exist;
      reconnect();
      expect((await clickedUrl(element)).origin).to.equal(PROVIDER);
      expect(element.error).to.be.undefined;
    });

    for (const [endpoint, retryAfterMs, first, next] of [
      ["/register", 60_000, "in 60 seconds.", "in 58 seconds."],
      ["/auth_metadata", 7_000_000, "in 117 minutes.", undefined],
      ["/register", 400, "in 1 second.", "Wait a moment and try again."],
    ] as const) {
      it(`announces "${first}" once if ${endpoint} requires a wait of ${retryAfterMs} ms`, async () => {
        servers.rateLimit(endpoint, { retryAfterMs });
        const element = await make();
        const clock = new Clock();
        await element.login();
        await inState(element, "error");
        const [said, shown] = part(element, "error").querySelectorAll("div");
        expect(said?.textContent).to.equal(`Too many attempts. Try again ${first}`);
        expect(shown?.getAttribute("aria-hidden")).to.equal("true");
        await clock.pass(2000);
        if (next !== undefined) expect(part(element, "error").innerText).to.include(next);
        // The region is updated again only when the wait ends.
        if (retryAfterMs > 1000) expect(said?.textContent).to.contain(first);
        else expect(part(element, "error").querySelector("div")).to.be.null;
        // The user can still try.
        expect((await clickedUrl(element)).origin).to.equal(PROVIDER);
      });
    }

    for (const retryAfterMs of [7_200_001, Number.MAX_VALUE]) {
      it(`shows no number if the wait is ${retryAfterMs} ms`, async () => {
        servers.rateLimit("/register", { retryAfterMs });
        const element = await make();
        await element.login();
        expect(await errorText(element)).to.equal(
          "Too many attempts. Wait a moment and try again.",
        );
      });
    }

    it("brings the error into view if the page is too small for it", async function () {
      if (!(await resize({ width: 320, height: 256 }))) this.skip();
      goOffline(servers);
      const element = await make();
      element.style.marginBlock = "200px 400px";
      part(element, "button").click();
      await inState(element, "error");
      const isInView = (): boolean => part(element, "error").getBoundingClientRect().bottom <= 256;
      await waitFor(isInView, "the error is out of sight");
    });

    it("shows that the connection is down while the browser is offline", async () => {
      goOffline(servers);
      stub(navigator, "onLine", { value: false });
      const element = await make();
      await element.prepare();
      expect(await errorText(element)).to.contain("Check your connection");
      expect(await errorText(element)).not.to.contain("name");
    });

    const explanations: [string, string, Partial<OidcLoginElement>, RegExp][] = [
      [
        "the setting",
        "a setting is invalid",
        { logoUri: "https://[" },
        /settings_invalid. logoUri is.* See \S+errors\S*#settings_invalid$/,
      ],
      [
        "the provider's reason and a link",
        "it is refused",
        {},
        /not a real URL.*client-uri.* See \S+errors\S*#registration_refused$/,
      ],
    ];
    for (const [what, when, properties, expected] of explanations) {
      it(`explains ${what} on the console once when ${when}`, async () => {
        const refusal = { error: "invalid_client_uri", error_description: "not a real URL" };
        servers.refuse("/register", 400, refusal, { times: 2 });
        const lines: string[] = [];
        stub(console, "warn", { value: (line: string) => lines.push(line) });
        const element = await make({ homeserver: HOMESERVER, ...properties });
        await element.login();
        await element.login();
        await waitFor(() => lines.length > 0);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(expected);
      });
    }

    for (const [error, setting] of [
      ["invalid_redirect_uri", /redirect-uri/],
      ["invalid_client_metadata", /client-uri/],
      ["constructor", /client-uri/],
    ] as const) {
      it(`reports which setting ${error} is about`, async () => {
        servers.refuse("/register", 400, { error, error_description: "once" }, { times: 9 });
        const lines: string[] = [];
        stub(console, "warn", { value: (line: string) => lines.push(line) });
        await (await make()).login();
        await waitFor(() => lines.length > 0);
        expect(lines.join()).to.match(setting);
      });
    }

    it("shows the provider's message, as text", async () => {
      const refusal = { error: "access_denied_here", error_description: "<b>Not</b> on Sundays" };
      servers.refuse("/register", 400, refusal, { times: 9 });
      const element = await make();
      await element.login();
      expect(await errorText(element)).to.match(/this app\. <b>Not<\/b> on Sundays$/);
    });

    it("shows no error if the page cancels oidc-error, and reports when the error is resolved", async () => {
      const reconnect = goOffline(servers, "/auth_metadata");
      const element = await make();
      const states: string[] = [];
      element.addEventListener("oidc-error", (event) => event.preventDefault());
      element.addEventListener("statechange", () => states.push(element.state));
      await element.login();
      await element.updateComplete;
      expect(states.at(-1)).to.equal("error");
      expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
      reconnect();
      await element.prepare();
      expect(states.at(-1)).to.equal("ready");
      expect(new Set(states).size).to.be.greaterThan(1);
    });

    it("throws when a listener of oidc-redirect assigns to detail.url", async () => {
      const element = await ready();
      const assigned = new Promise((resolve) => {
        element.addEventListener("oidc-redirect", ({ detail }) => {
          try {
            (detail as { url: string }).url = "https://elsewhere.example";
          } catch (error) {
            resolve(error);
          }
        });
      });
      expect((await clickedUrl(element)).origin).to.equal(PROVIDER);
      expect(String(await assigned)).to.contain("cancel the event");
    });

    it("redirects when a listener of oidc-error calls login() again", async () => {
      const reconnect = goOffline(servers, "/auth_metadata");
      const element = await make();
      element.addEventListener("oidc-error", () => {
        reconnect();
        void element.login();
      });
      expect((await clickedUrl(element)).origin).to.equal(PROVIDER);
    });

    it("shows that the registration was rejected when a listener of oidc-error enables the button", async () => {
      const refusal = { error: "invalid_redirect_uri", error_description: "not this one" };
      // The second request has no port in its redirect URI.
      servers.refuse("/register", 400, refusal, { times: 2 });
      const element = await ready();
      element.addEventListener("oidc-login-start", () => (element.disabled = true));
      element.addEventListener("oidc-error", () => (element.disabled = false));
      await element.login();
      expect(await errorText(element)).to.contain("doesn’t accept this app");
      expect(String(element.error?.cause)).to.contain("not this one");
    });

    it("stays, without a request, when an unrelated setting such as the label or return-to changes", async () => {
      servers.refuse("/register", 400, { error: "invalid_client_metadata" }, { times: 2 });
      const clock = new Clock();
      const element = await ready();
      await element.login();
      const shown = await errorText(element);
      const sent = servers.requests.length;
      element.textContent = "Anmelden";
      Object.assign(element, { returnTo: "/later", clientName: "App", loginHint: "mxid:@a:b" });
      Object.assign(element, { persist: "local", sessionKey: "work", deviceId: "LAPTOP" });
      await clock.pass(600);
      await untilQuiet();
      expect(await errorText(element)).to.equal(shown);
      expect(servers.requests).to.have.length(sent);
    });

    for (const changed of [{ redirectUri: "/" }, { clientId: "mine" }, { prompt: "login" }]) {
      it(`disappears when ${Object.keys(changed).join()} changes, which might be its cause`, async () => {
        servers.refuse("/register", 400, { error: "invalid_client_metadata" }, { times: 2 });
        const element = await ready();
        await element.login();
        expect(element.state).to.equal("error");
        Object.assign(element, changed);
        await inState(element, "ready");
      });
    }

    it("is reported once when a listener of oidc-error sets a new clientMetadata", async () => {
      goOffline(servers);
      const element = await make({});
      const errors = recordEvents(element, "oidc-error");
      element.addEventListener("oidc-error", ({ target }: OidcErrorEvent) => {
        (target as OidcLoginElement).clientMetadata = { clientName: "An application" };
      });
      const clock = new Clock();
      element.homeserver = HOMESERVER;
      await element.prepare();
      await clock.pass(600);
      await untilQuiet();
      expect(errors).to.have.length(1);
      expect(element.state).to.equal("error");
    });
  });

  describe("customization", () => {
    const labelled = async (content: unknown) => {
      const element = await fixture<OidcLoginElement>(html`<oidc-login>${content}</oidc-login>`);
      return Object.assign(element, { homeserver: HOMESERVER });
    };

    it("shows the label and the icon of the page", async () => {
      const element = await labelled(html`<b slot="icon">*</b>Come in`);
      const slots = [...part(element, "button").querySelectorAll("slot")];
      const texts = slots.map((slot) => slot.assignedNodes().map(({ textContent }) => textContent));
      expect(texts.map((each) => each.join("").trim())).to.deep.equal(["*", "Come in"]);
    });

    it("keeps its label when only other slots, blanks and comments are inside", async () => {
      const element = await labelled(html`
        <a slot="error-oidc_not_supported" href="#password">With a password</a>
        <!-- Nothing else. -->
      `);
      expect(part(element, "label").innerText).to.equal("Sign in");
    });

    it("shows the page's label when it is added or changed, and its own label when the page's is removed", async () => {
      const element = await ready();
      const label = document.createTextNode("");
      const texts: string[] = [];
      for (const change of [
        () => element.append(label),
        () => (label.data = "Come in"),
        () => (label.data = ""),
        () => element.append(document.createElement("b")),
        () => element.replaceChildren(),
      ]) {
        change();
        await aTimeout(0);
        await element.updateComplete;
        const [slot] = part(element, "label").querySelectorAll("slot");
        const own = slot?.assignedNodes().map(({ textContent }) => textContent) ?? [];
        texts.push([...own, part(element, "label").innerText].join(""));
      }
      expect(texts).to.deep.equal(["Sign in", "Come in", "Sign in", "", "Sign in"]);
    });

    it("keeps its label while the slot of an element around it is empty", async () => {
      const outer = await fixture<HTMLElement>(html`<div></div>`);
      const root = outer.attachShadow({ mode: "open" });
      render(html`<oidc-login> <slot></slot> </oidc-login>`, root);
      const element = root.querySelector("oidc-login") as OidcLoginElement;
      const texts: string[] = [];
      for (const content of ["", "Come in", " ", ""]) {
        outer.textContent = content;
        await aTimeout(0);
        await element.updateComplete;
        texts.push(`${part(element, "label").innerText}${outer.innerText.trim()}`);
      }
      expect(texts).to.deep.equal(["Sign in", "Come in", "Sign in", "Sign in"]);
    });

    it("has a slot for one error's code inside the slot for every error", async () => {
      goOffline(servers);
      const element = await labelled(html`
        <span slot="error-network_error">Nobody there</span>
        <span slot="error">Anything else</span>
      `);
      await element.prepare();
      await element.updateComplete;
      const slots = [...part(element, "error").querySelectorAll("slot")];
      expect(slots.map(({ name }) => name)).to.deep.equal(["error-network_error", "error"]);
      expect(slots[0]?.assignedElements()[0]?.textContent).to.equal("Nobody there");
    });

    it("focuses its button when focus() is called, and redirects when Enter is pressed", async () => {
      const element = await ready();
      element.focus();
      expect(element.shadowRoot?.activeElement).to.equal(part(element, "button"));
      const redirect = nextEvent(element, "oidc-redirect");
      await sendKeys({ press: "Enter" });
      await redirect;
    });
  });

  describe("the end", () => {
    it("is idle when an oidc-redirect listener removes it, and ready when it is added again", async () => {
      const element = await ready();
      const home = element.parentElement;
      element.addEventListener("oidc-redirect", () => element.remove(), { once: true });
      await element.login();
      expect(element.state).to.equal("idle");
      home?.append(element);
      await inState(element, "ready");
      expect((await clickedUrl(element)).origin).to.equal(PROVIDER);
    });

    it("is ready when the page is restored from the back/forward cache during a registration", async () => {
      const late = hold(servers, "/register");
      const element = await ready();
      const redirects = recordEvents(element, "oidc-redirect");
      const login = element.login();
      await inState(element, "redirecting");
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      await inState(element, "ready");
      expect(part(element, "button").hasAttribute("aria-busy")).to.be.false;
      late.release();
      await login;
      expect(redirects).to.deep.equal([]);
    });
  });
});
