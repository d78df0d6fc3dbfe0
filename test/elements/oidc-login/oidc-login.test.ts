import { aTimeout, expect, fixture, html, oneEvent } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import {
  OidcLoginElement,
  registerTranslation,
  type OidcErrorEvent,
  type OidcRedirectEvent,
} from "matrix-auth-elements";
import {
  HOMESERVER,
  METADATA,
  answerJson,
  answerLater,
  restoreNetwork,
  scriptServers,
  type Servers,
} from "../support/servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

const WELL_KNOWN = `GET ${HOMESERVER}/.well-known/matrix/client`;
const AUTH_METADATA = `GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`;
const REGISTRATION = `POST ${METADATA.registration_endpoint}`;

describe("<oidc-login>", () => {
  let servers: Servers;

  // The page of the tests must not be left. The event does not bubble, but is captured on its way.
  const stay = (event: Event): void => event.preventDefault();
  before(() => document.addEventListener("oidc-redirect", stay, { capture: true }));
  after(() => document.removeEventListener("oidc-redirect", stay, { capture: true }));

  beforeEach(() => {
    servers = scriptServers();
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(restoreNetwork);

  const inState = (element: OidcLoginElement, state: string): Promise<unknown> =>
    waitFor(
      () => element.state === state,
      () => `state ${element.state}, not ${state}`,
    );

  const part = (element: OidcLoginElement, name: string): HTMLElement => {
    const found = element.shadowRoot?.querySelector<HTMLElement>(`[part=${name}]`);
    if (!found) throw new Error(`no part ${name}`);
    return found;
  };

  const ready = async (template = html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`) => {
    const element = await fixture<OidcLoginElement>(template);
    // When it would do so by itself is up to the browser.
    await element.prepare();
    expect(element.state).to.equal("ready");
    return element;
  };

  /** Resolves when its first request is under way. */
  const discovering = async (element: OidcLoginElement): Promise<void> => {
    void element.prepare();
    await waitFor(() => servers.requests.length > 0);
  };

  /** Resolves when the browser has said whether the element is in sight, and has been idle since. */
  const seen = async (element: OidcLoginElement): Promise<void> => {
    await new Promise((resolve) => new IntersectionObserver(resolve).observe(element));
    await new Promise((resolve) => {
      // WebKit has no requestIdleCallback.
      if (typeof requestIdleCallback === "function") requestIdleCallback(resolve);
      else setTimeout(resolve, 5);
    });
  };

  /** Clicks, and gives the address that the page would go to. */
  const clickedUrl = async (element: OidcLoginElement): Promise<URL> => {
    const redirect = oneEvent(element, "oidc-redirect") as Promise<OidcRedirectEvent>;
    part(element, "button").click();
    return new URL((await redirect).detail.url);
  };

  const failing = async (element: OidcLoginElement): Promise<string> => {
    await inState(element, "error");
    await element.updateComplete;
    return part(element, "error").textContent?.trim() ?? "";
  };

  it("reports settings_invalid on each click without a homeserver", async () => {
    const element = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
    for (let click = 0; click < 2; click += 1) {
      const told = oneEvent(element, "oidc-error") as Promise<OidcErrorEvent>;
      part(element, "button").click();
      expect((await told).detail.code).to.equal("settings_invalid");
      // A user cannot click twice in one task.
      await aTimeout(0);
    }
  });

  describe("with mode=popup", () => {
    const { open } = window;
    afterEach(() => {
      window.open = open;
    });

    it("opens one popup when a listener of oidc-error sets the homeserver and calls login()", async () => {
      const element = await fixture<OidcLoginElement>(html`<oidc-login mode="popup"></oidc-login>`);
      await element.prepare();
      await inState(element, "error");
      let opened = 0;
      window.open = (): null => {
        opened += 1;
        return null;
      };
      element.addEventListener(
        "oidc-error",
        () => {
          element.homeserver = HOMESERVER;
          void element.login();
        },
        { once: true },
      );
      await element.login();
      await inState(element, "waiting");
      expect(opened).to.equal(1);
      element.cancel();
    });
  });

  describe("before its code is loaded", () => {
    it("is busy when it is clicked before its code is loaded, and then redirects", async () => {
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      const redirect = oneEvent(element, "oidc-redirect");
      part(element, "button").click();
      await element.updateComplete;
      expect(part(element, "button").getAttribute("aria-busy")).to.equal("true");
      await redirect;
      expect(servers.requests).to.deep.equal([WELL_KNOWN, AUTH_METADATA, REGISTRATION]);
    });

    it("redirects once when login() is called several times before its code is loaded", async () => {
      const element = document.createElement("oidc-login");
      element.homeserver = HOMESERVER;
      let redirects = 0;
      element.addEventListener("oidc-redirect", () => (redirects += 1));
      document.body.append(element);
      await Promise.all([element.login(), element.login(), element.prepare(), element.login()]);
      expect(redirects).to.equal(1);
      element.remove();
    });

    it("reports oidc-cancel alone when cancel() is called before its code is loaded", async () => {
      const element = document.createElement("oidc-login");
      element.homeserver = HOMESERVER;
      const told: string[] = [];
      for (const type of ["oidc-cancel", "oidc-redirect", "oidc-error"]) {
        element.addEventListener(type, () => told.push(type));
      }
      document.body.append(element);
      const leaving = element.login();
      expect(element.state).to.equal("preparing");
      element.cancel();
      expect(element.state).to.equal("idle");
      await leaving;
      expect(told).to.deep.equal(["oidc-cancel"]);
      expect(servers.requests).not.to.include(REGISTRATION);
      element.remove();
    });

    it("sends no request when it is removed before its code is loaded", async () => {
      const element = document.createElement("oidc-login");
      element.homeserver = HOMESERVER;
      document.body.append(element);
      const leaving = element.login();
      element.remove();
      await leaving;
      expect(servers.requests).to.deep.equal([]);
      expect(element.state).to.equal("idle");
    });
  });

  describe("without a click", () => {
    it("becomes ready with two requests, and without a registration, when it is visible", async () => {
      const element = await ready();
      expect(servers.requests).to.deep.equal([WELL_KNOWN, AUTH_METADATA]);
      expect(element.matches(":state(ready)")).to.be.true;
      expect(element.matches(":state(idle)")).to.be.false;
    });

    it("sends no request while it is out of sight, until the pointer enters it", async () => {
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login
          homeserver=${HOMESERVER}
          style="position: absolute; inset-block-start: 20000px"
        ></oidc-login>`,
      );
      await seen(element);
      expect(element.state).to.equal("idle");
      expect(servers.requests).to.deep.equal([]);
      element.dispatchEvent(new PointerEvent("pointerenter"));
      await inState(element, "ready");
    });

    it("stays idle without a homeserver, and shows an error when it is clicked", async () => {
      const element = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
      await seen(element);
      expect(element.state).to.equal("idle");
      expect(element.matches(":state(idle)")).to.be.true;
      part(element, "button").click();
      expect(await failing(element)).to.contain("isn’t configured correctly");
      expect(element.error?.code).to.equal("settings_invalid");
    });

    it("requests the issuer's metadata alone when only an issuer is set", async () => {
      servers.answers["https://idp.example/.well-known/openid-configuration"] =
        answerJson(METADATA);
      await ready(html`<oidc-login issuer="https://idp.example"></oidc-login>`);
      expect(servers.requests).to.deep.equal([
        "GET https://idp.example/.well-known/openid-configuration",
      ]);
    });
  });

  describe("on a click", () => {
    it("registers and redirects to the provider when it is clicked", async () => {
      const element = await ready();
      servers.requests.length = 0;
      const url = await clickedUrl(element);
      expect(servers.requests).to.deep.equal([REGISTRATION]);
      expect(url.origin + url.pathname).to.equal(METADATA.authorization_endpoint);
      expect(url.searchParams.get("client_id")).to.equal("registered");
      expect(url.searchParams.get("response_mode")).to.equal("fragment");
      expect(url.searchParams.get("redirect_uri")).to.equal(location.origin + location.pathname);
      expect(url.searchParams.get("code_challenge_method")).to.equal("S256");
    });

    it("redirects without a request when client-id is set", async () => {
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER} client-id="mine"></oidc-login>`,
      );
      servers.requests.length = 0;
      expect((await clickedUrl(element)).searchParams.get("client_id")).to.equal("mine");
      expect(servers.requests).to.deep.equal([]);
    });

    it("registers once when it is clicked again while the login is pending", async () => {
      const element = await ready();
      await clickedUrl(element);
      servers.requests.length = 0;
      await clickedUrl(element);
      expect(servers.requests).to.deep.equal([]);
    });

    it("is busy when it is clicked during discovery, and then redirects", async () => {
      const late = answerLater(METADATA);
      servers.answers[`${HOMESERVER}/_matrix/client/v1/auth_metadata`] = late.answer;
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      await discovering(element);
      const url = clickedUrl(element);
      await element.updateComplete;
      expect(part(element, "button").getAttribute("aria-busy")).to.equal("true");
      expect(part(element, "spinner")).to.exist;
      late.send();
      expect((await url).origin).to.equal("https://idp.example");
    });

    it("starts one login when login() is called several times", async () => {
      const element = await ready();
      let starts = 0;
      element.addEventListener("oidc-login-start", () => (starts += 1));
      element.addEventListener("oidc-redirect", (event) => event.preventDefault());
      servers.requests.length = 0;
      await Promise.all([element.login(), element.login(), element.login()]);
      expect(starts).to.equal(1);
      expect(servers.requests).to.deep.equal([REGISTRATION]);
    });

    it("sends nothing when oidc-login-start is prevented", async () => {
      const element = await ready();
      servers.requests.length = 0;
      element.addEventListener("oidc-login-start", (event) => event.preventDefault());
      await element.login();
      expect(element.state).to.equal("ready");
      expect(servers.requests).to.deep.equal([]);
    });

    it("has the homeserver and the prompt in oidc-login-start", async () => {
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER} prompt="create"></oidc-login>`,
      );
      const start = oneEvent(element, "oidc-login-start");
      void element.login();
      expect((await start).detail).to.deep.equal({ homeserver: HOMESERVER, prompt: "create" });
    });

    it("starts no login while it is disabled", async () => {
      const element = await ready();
      element.disabled = true;
      await element.updateComplete;
      expect(part(element, "button").matches(":disabled")).to.be.true;
      await element.login();
      expect(element.state).to.equal("ready");
    });

    it("uses the homeserver that was set just before login(), or in oidc-login-start", async () => {
      const element = await ready();
      for (const origin of ["https://other.example", "https://third.example"]) {
        const issuer = origin.replace("https://", "https://idp-");
        servers.answers[`${origin}/.well-known/matrix/client`] = answerJson({}, 404);
        servers.answers[`${origin}/_matrix/client/v1/auth_metadata`] = answerJson(
          JSON.parse(JSON.stringify(METADATA).replaceAll("https://idp", issuer)),
        );
      }
      element.clientId = "mine";
      const redirect = oneEvent(element, "oidc-redirect") as Promise<OidcRedirectEvent>;
      element.homeserver = "other.example";
      void element.login();
      expect((await redirect).detail.url).to.contain("idp-other.example");
      // Even if the page sets it in a listener of the login's event.
      element.addEventListener("oidc-login-start", () => {
        element.homeserver = "third.example";
      });
      expect((await clickedUrl(element)).host).to.contain("idp-third.example");
    });

    it("completes the redirect when the homeserver changes meanwhile, and then discovers the new one", async () => {
      const late = answerLater({ client_id: "registered" });
      servers.answers[METADATA.registration_endpoint] = late.answer;
      const element = await ready();
      const url = clickedUrl(element);
      await inState(element, "redirecting");
      element.homeserver = "gone.example";
      await element.updateComplete;
      late.send();
      expect((await url).origin).to.equal("https://idp.example");
      expect(element.state).to.equal("idle");
      await element.login();
      expect(element.error?.code).to.equal("network_error");
    });

    it("is idle and reports oidc-cancel when cancel() is called during discovery", async () => {
      const late = answerLater(METADATA);
      servers.answers[`${HOMESERVER}/_matrix/client/v1/auth_metadata`] = late.answer;
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      await discovering(element);
      const login = element.login();
      const cancelled = oneEvent(document, "oidc-cancel");
      element.cancel();
      expect((await cancelled).detail).to.deep.equal({ reason: "cancelled" });
      late.send();
      await login;
      expect(element.state).to.equal("idle");
    });

    it("does not redirect when cancel() follows login() at once", async () => {
      const element = await ready();
      let redirects = 0;
      element.addEventListener("oidc-redirect", () => (redirects += 1));
      const login = element.login();
      const cancelled = oneEvent(document, "oidc-cancel");
      element.cancel();
      // It may prepare again as soon as it is seen.
      expect(element.state).to.equal("idle");
      await cancelled;
      await login;
      expect(redirects).to.equal(0);
    });

    it("does not leave the page when a listener of oidc-redirect calls cancel()", async () => {
      const frame = document.createElement("iframe");
      frame.src = `/test/elements/support/page.html?body=${encodeURIComponent("<oidc-login>")}`;
      const loaded = oneEvent(frame, "load");
      document.body.append(frame);
      await loaded;
      const page = frame.contentWindow as unknown as typeof globalThis & Window;
      page.fetch = window.fetch;
      const element = frame.contentDocument?.querySelector("oidc-login");
      if (!element) throw new Error("no element");
      element.homeserver = HOMESERVER;
      element.clientId = "mine";
      element.addEventListener("oidc-redirect", () => element.cancel());
      let left = false;
      page.addEventListener("beforeunload", () => (left = true));
      await element.login();
      await timeForMore();
      // It may have been prepared again since: it is on the page, and seen.
      expect(element.state).to.be.oneOf(["idle", "preparing", "ready"]);
      expect(left).to.be.false;
      frame.remove();
    });

    it("redirects when a listener of oidc-error calls login() again", async () => {
      const url = `${HOMESERVER}/_matrix/client/v1/auth_metadata`;
      delete servers.answers[url];
      const element = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
      element.homeserver = HOMESERVER;
      const redirect = oneEvent(element, "oidc-redirect");
      element.addEventListener(
        "oidc-error",
        () => {
          servers.answers[url] = answerJson(METADATA);
          void element.login();
        },
        { once: true },
      );
      void element.login();
      await redirect;
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
      "response-mode": ["responseMode", "query"],
      registration: ["registration", "reuse"],
      homeserver: ["homeserver", HOMESERVER],
      issuer: ["issuer", "https://idp.example"],
      prompt: ["prompt", "login"],
    } as const;

    for (const [attribute, [property, value]] of Object.entries(settings)) {
      it(`reads ${attribute} from the attribute and from the property ${property}`, () => {
        const byAttribute = document.createElement("oidc-login");
        byAttribute.setAttribute(attribute, value);
        expect(byAttribute[property]).to.equal(value);
        const byProperty = Object.assign(document.createElement("oidc-login"), {
          [property]: value,
        });
        expect(byProperty[property]).to.equal(value);
      });
    }

    it("reads the attribute value false as false for disabled, manual and open", () => {
      for (const [tag, name] of [
        ["oidc-login", "disabled"],
        ["oidc-callback", "manual"],
        ["uia-dialog", "open"],
      ] as const) {
        const element = document.createElement(tag);
        for (const [value, expected] of Object.entries({ false: false, "": true, true: true })) {
          element.setAttribute(name, value);
          expect(element, `${name}="${value}"`).to.have.property(name, expected);
        }
        element.removeAttribute(name);
        expect(element, `no ${name}`).to.have.property(name, false);
      }
    });

    it("resolves client-uri against the page's URL", async () => {
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER} client-uri="/about"></oidc-login>`,
      );
      await clickedUrl(element);
      expect(servers.registered).to.include({ client_uri: `${location.origin}/about` });
    });

    it("sends every setting to the provider", async () => {
      const element = await ready(
        html`<oidc-login
          homeserver=${HOMESERVER}
          redirect-uri="/back"
          client-name="An application"
          client-uri=${location.origin}
          logo-uri="/logo.png"
          login-hint="alice"
          device-id="DEVICE0001"
          response-mode="query"
          prompt="login"
        ></oidc-login>`,
      );
      const { searchParams } = await clickedUrl(element);
      expect(searchParams.get("login_hint")).to.equal("alice");
      expect(searchParams.get("prompt")).to.equal("login");
      expect(searchParams.get("response_mode")).to.equal("query");
      expect(searchParams.get("scope")).to.contain("urn:matrix:client:device:DEVICE0001");
      expect(searchParams.get("redirect_uri")).to.equal(`${location.origin}/back`);
      expect(servers.registered).to.deep.include({
        client_name: "An application",
        client_uri: location.origin,
        logo_uri: `${location.origin}/logo.png`,
        redirect_uris: [`${location.origin}/back`],
        application_type: "native",
      });
    });

    it("prefers clientMetadata to the attributes", async () => {
      const element = await ready(
        html`<oidc-login
          homeserver=${HOMESERVER}
          client-name="By attribute"
          .clientMetadata=${{ clientName: "By property", contacts: ["me@app.example"] }}
        ></oidc-login>`,
      );
      await clickedUrl(element);
      expect(servers.registered).to.deep.include({
        client_name: "By property",
        contacts: ["me@app.example"],
      });
    });

    it("uses the attributes for members of clientMetadata that are undefined", async () => {
      const element = await ready(
        html`<oidc-login
          homeserver=${HOMESERVER}
          client-name="By attribute"
          .clientMetadata=${{ clientName: undefined, clientUri: undefined }}
        ></oidc-login>`,
      );
      await clickedUrl(element);
      expect(servers.registered).to.deep.include({
        client_name: "By attribute",
        client_uri: location.origin,
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
        expect((await clickedUrl(element)).searchParams.get("client_id")).to.equal("registered");
      });
    }

    it("keeps the properties and attributes that were set before it was defined", async () => {
      class Late extends OidcLoginElement {
        static override readonly tag = "late-oidc-login";
      }
      const element = document.createElement("late-oidc-login") as Late;
      Object.assign(element, {
        homeserver: "early.example",
        clientMetadata: { clientName: "Early" },
      });
      element.setAttribute("client-id", "early");
      document.body.append(element);
      Late.define();
      await element.updateComplete;
      expect(element.homeserver).to.equal("early.example");
      expect(element.clientMetadata).to.deep.equal({ clientName: "Early" });
      expect(element.clientId).to.equal("early");
      element.remove();
    });

    it("discovers again when the homeserver changes", async () => {
      const element = await ready();
      servers.answers["https://other.example/.well-known/matrix/client"] = answerJson({}, 404);
      servers.answers["https://other.example/_matrix/client/v1/auth_metadata"] =
        answerJson(METADATA);
      servers.requests.length = 0;
      element.homeserver = "other.example";
      await element.updateComplete;
      expect(element.state).to.equal("idle");
      await inState(element, "ready");
      expect(servers.requests).to.deep.equal([
        "GET https://other.example/.well-known/matrix/client",
        "GET https://other.example/_matrix/client/v1/auth_metadata",
      ]);
    });
  });

  it("does not discover again when the prompt changes", async () => {
    const element = await ready();
    servers.requests.length = 0;
    element.prompt = "login";
    await element.updateComplete;
    expect(element.state).to.equal("ready");
    expect((await clickedUrl(element)).searchParams.get("prompt")).to.equal("login");
    expect(servers.requests).to.deep.equal([REGISTRATION]);
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
      ["an issuer that is no address", { homeserver: "", issuer: "idp" }, "issuer_invalid"],
    ];
    for (const [what, properties, code] of mistakes) {
      it(`reports ${code} for ${what}`, async () => {
        const element = document.createElement("oidc-login");
        Object.assign(element, { homeserver: HOMESERVER, ...properties });
        const reported = oneEvent(document, "oidc-error") as Promise<OidcErrorEvent>;
        document.body.append(element);
        void element.prepare();
        const { detail } = await reported;
        expect(detail.code).to.equal(code);
        expect(detail.error.message).to.be.a("string");
        expect(element.error).to.equal(detail.error);
        expect(await failing(element)).not.to.equal("");
        element.remove();
      });
    }

    it("shows prompt_not_supported when the issuer does not offer prompt=create", async () => {
      const { prompt_values_supported: _, ...without } = METADATA;
      servers.answers[`${HOMESERVER}/_matrix/client/v1/auth_metadata`] = answerJson(without);
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER} prompt="create"></oidc-login>`,
      );
      await element.prepare();
      expect(await failing(element)).to.contain("can’t create an account");
      expect(element.error?.code).to.equal("prompt_not_supported");
    });

    it("shows that a server cannot be reached, and tries again on the next click", async () => {
      const url = `${HOMESERVER}/_matrix/client/v1/auth_metadata`;
      delete servers.answers[url];
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      await element.prepare();
      expect(await failing(element)).to.contain("Can’t reach the");
      servers.answers[url] = answerJson(METADATA);
      expect((await clickedUrl(element)).origin).to.equal("https://idp.example");
      expect(element.error).to.be.undefined;
    });

    it("shows that the registration was refused, with the provider's reason as cause", async () => {
      servers.answers[METADATA.registration_endpoint] = answerJson(
        { error: "invalid_redirect_uri", error_description: "not this one" },
        400,
      );
      const element = await ready();
      await element.login();
      expect(await failing(element)).to.contain("doesn’t accept this application");
      expect(String(element.error?.cause)).to.contain("not this one");
    });
  });

  describe("an error", () => {
    it("is shown when a listener of oidc-error enables the button again", async () => {
      servers.answers[METADATA.registration_endpoint] = answerJson({ error: "no" }, 400);
      const element = await ready();
      element.addEventListener("oidc-login-start", () => (element.disabled = true));
      element.addEventListener("oidc-error", () => (element.disabled = false));
      await element.login();
      expect(await failing(element)).to.contain("doesn’t accept this application");
    });

    it("is reported once when a listener of oidc-error sets a new clientMetadata", async () => {
      servers.answers = {};
      let errors = 0;
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login
          homeserver=${HOMESERVER}
          @oidc-error=${({ target }: OidcErrorEvent) => {
            errors += 1;
            (target as OidcLoginElement).clientMetadata = { clientName: "An application" };
          }}
        ></oidc-login>`,
      );
      await element.prepare();
      expect(element.state).to.equal("error");
      await timeForMore(600);
      expect(errors).to.equal(1);
      expect(element.state).to.equal("error");
    });
  });

  describe("customization", () => {
    it("shows the label and the icon of the page", async () => {
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER}><b slot="icon">*</b>Come in</oidc-login>`,
      );
      const button = part(element, "button");
      const [icon, label] = [...button.querySelectorAll("slot")];
      expect(icon?.assignedElements()[0]?.textContent).to.equal("*");
      expect(label?.assignedNodes()[0]?.textContent).to.equal("Come in");
    });

    it("keeps its label when only other slots, blanks and comments are inside", async () => {
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER}>
          <a slot="error-oidc_not_supported" href="#password">With a password</a>
          <!-- Nothing else. -->
        </oidc-login>`,
      );
      expect(part(element, "label").innerText).to.equal("Sign in");
    });

    it("shows the page's label when it is added or changed, and its own when that is removed", async () => {
      const element = await ready();
      const label = document.createTextNode("");
      const shown = async (): Promise<string> => {
        await aTimeout(0);
        await element.updateComplete;
        const [slot] = part(element, "label").querySelectorAll("slot");
        const own = slot?.assignedNodes().map(({ textContent }) => textContent) ?? [];
        return [...own, part(element, "label").textContent].join("");
      };
      element.append(label);
      expect(await shown()).to.equal("Sign in");
      label.data = "Come in";
      expect(await shown()).to.equal("Come in");
      label.data = "";
      expect(await shown()).to.equal("Sign in");
      element.append(document.createElement("b"));
      expect(await shown()).to.equal("");
      element.replaceChildren();
      expect(await shown()).to.equal("Sign in");
    });

    it("has a slot for one error's code inside the slot for every error", async () => {
      servers.answers = {};
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}>
          <span slot="error-network_error">Nobody there</span>
          <span slot="error">Anything else</span>
        </oidc-login>`,
      );
      await element.prepare();
      await element.updateComplete;
      const slots = [...part(element, "error").querySelectorAll("slot")];
      expect(slots.map(({ name }) => name)).to.deep.equal(["error-network_error", "error"]);
      expect(slots[0]?.assignedElements()[0]?.textContent).to.equal("Nobody there");
    });

    it("focuses its button when focus() is called", async () => {
      const element = await ready();
      element.focus();
      expect(element.shadowRoot?.activeElement).to.equal(part(element, "button"));
    });

    it("redirects when Enter is pressed", async () => {
      const element = await ready();
      element.focus();
      const redirect = oneEvent(element, "oidc-redirect");
      await sendKeys({ press: "Enter" });
      await redirect;
    });

    it("shows a text in its language, and the text that is registered later", async () => {
      registerTranslation({ $code: "x-test", signIn: "Gaan" });
      const element = await ready(
        html`<oidc-login homeserver=${HOMESERVER} lang="x-test"></oidc-login>`,
      );
      expect(part(element, "label").textContent).to.contain("Gaan");
      registerTranslation({ $code: "x-test", signIn: "Kom binne" });
      await element.updateComplete;
      expect(part(element, "label").textContent).to.contain("Kom binne");
    });
  });

  describe("the end", () => {
    it("aborts the request when it is removed during discovery", async () => {
      const aborted: boolean[] = [];
      servers.answers[`${HOMESERVER}/.well-known/matrix/client`] = (request) =>
        new Promise((_, reject) =>
          request.signal.addEventListener("abort", () => {
            aborted.push(true);
            reject(new DOMException("", "AbortError"));
          }),
        );
      const element = await fixture<OidcLoginElement>(
        html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      await discovering(element);
      element.remove();
      expect(aborted).to.deep.equal([true]);
      expect(element.state).to.equal("idle");
      await timeForMore();
      expect(element.error).to.be.undefined;
    });

    it("is idle when a listener of oidc-redirect removes it, and works when it is put back", async () => {
      const element = await ready();
      const home = element.parentElement;
      element.addEventListener("oidc-redirect", () => element.remove(), { once: true });
      await element.login();
      expect(element.state).to.equal("idle");
      home?.append(element);
      expect((await clickedUrl(element)).origin).to.equal("https://idp.example");
    });

    it("is ready when the page is restored from the back/forward cache during a registration", async () => {
      const late = answerLater({ client_id: "registered" });
      servers.answers[METADATA.registration_endpoint] = late.answer;
      const element = await ready();
      let redirects = 0;
      element.addEventListener("oidc-redirect", () => (redirects += 1));
      const login = element.login();
      await inState(element, "redirecting");
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      await element.updateComplete;
      expect(element.state).to.equal("ready");
      expect(part(element, "button").hasAttribute("aria-busy")).to.be.false;
      late.send();
      await login;
      expect(redirects).to.equal(0);
    });

    it("becomes ready again when it is removed and put back", async () => {
      const element = await ready();
      const home = element.parentElement;
      element.remove();
      expect(element.state).to.equal("idle");
      home?.append(element);
      await inState(element, "ready");
    });
  });
});
