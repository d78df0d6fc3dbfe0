import { ContextConsumer } from "@lit/context";
import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  OidcCallbackElement,
  OidcError,
  OidcSession,
  listSessions,
  authClientContext,
  hasSession,
  startSsoLogin,
  type SessionPersistence,
} from "matrix-auth-elements";
import { everyTextIn } from "../../support/rejection.js";
import { held, json, networkFailure, type ScriptedFetch } from "../../support/scripted-fetch.js";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part, recordEvents, textIn } from "../support/element.js";
import {
  HOMESERVER,
  METADATA,
  TOKEN,
  TOKENS,
  responseUrl,
  scriptServers,
} from "../support/servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

/** WebKit refuses more than 100 changes of the URL in 10 seconds; a test makes at most four. */
const MAX_TESTS_IN_10_S = 24;
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent);
const begun: number[] = [];

async function waitForRoom(): Promise<void> {
  const earlier = begun.at(-MAX_TESTS_IN_10_S);
  if (isWebKit && earlier !== undefined) {
    await aTimeout(Math.max(0, earlier + 10_500 - performance.now()));
  }
  begun.push(performance.now());
}

describe("<oidc-callback>", () => {
  let servers: ScriptedFetch;
  const { href } = location;

  beforeEach(async () => {
    await waitForRoom();
    servers = scriptServers();
    sessionStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    history.replaceState(null, "", href);
  });

  const open = async (url: string, template = html`<oidc-callback></oidc-callback>`) => {
    history.replaceState({ kept: true }, "", url);
    return fixture<OidcCallbackElement>(template);
  };
  const manual = (): Promise<OidcCallbackElement> =>
    fixture<OidcCallbackElement>(html`<oidc-callback manual></oidc-callback>`);

  /** Lets the token request wait until the test releases it. */
  const holdTokens = (): (() => void) => {
    const late = held(json(TOKENS));
    servers.routes[TOKEN] = late.respond;
    return late.release;
  };
  const startAgain = (element: OidcCallbackElement): HTMLAnchorElement =>
    part<HTMLAnchorElement>(element, "start-again");

  it("exchanges the code of a login that began here, and reports oidc-success once", async () => {
    const successes = recordEvents(document, "oidc-success");
    const success = nextEvent(document, "oidc-success");
    const element = await open(await responseUrl());
    const { detail } = await success;
    expect(detail.tokenResponse.access_token).to.equal("secret-access");
    expect(detail).to.include({ homeserverUrl: HOMESERVER, deviceId: "DEVICE0001" });
    expect(element.matches(":state(success)")).to.be.true;
    expect(element.result).to.equal(detail);
    await inState(element, "success");
    expect(textIn(element)).to.equal("You are signed in. Continue");
    await timeForMore();
    expect(successes).to.have.length(1);
  });

  it("removes the response from the URL and the flow from storage before any request, and keeps other parameters", async () => {
    const [here, response] = (await responseUrl()).split("#", 2);
    const issuer = encodeURIComponent(METADATA.issuer);
    const atRequest: unknown[] = [];
    servers.routes[TOKEN] = (): Response => {
      atRequest.push(location.href, history.state, sessionStorage.length);
      return Response.json(TOKENS);
    };
    const url = `${here}#/route&${response}&iss=${issuer}&flag&mine=a%20b`;
    await inState(await open(url), "success");
    expect(atRequest).to.deep.equal([`${href}#/route&flag&mine=a%20b`, { kept: true }, 0]);
    expect(servers.log).to.deep.equal([TOKEN]);
  });

  it("has a client of the homeserver after success, and provides it as a context", async () => {
    const template = html`<oidc-callback><p id="inside"></p></oidc-callback>`;
    const element = await open(await responseUrl(), template);
    await inState(element, "success");
    expect(element.client).to.include({ baseUrl: HOMESERVER, accessToken: "secret-access" });
    const inside = element.querySelector("#inside") as HTMLElement;
    const consumer = new ContextConsumer(
      Object.assign(inside, {
        addController: () => undefined,
        removeController: () => undefined,
        requestUpdate: () => undefined,
        updateComplete: Promise.resolve(true),
      }),
      { context: authClientContext, subscribe: true },
    );
    consumer.hostConnected();
    expect(consumer.value).to.equal(element.client);
  });

  it("is a panel before its code is loaded, and the same one after", async () => {
    const release = holdTokens();
    history.replaceState(null, "", await responseUrl());
    const element = document.createElement("oidc-callback");
    const boxes: (readonly number[] | undefined)[] = [];
    const look = (): void => {
      const { x, y, width, height } = part(element, "panel").getBoundingClientRect();
      boxes.push([x, y, width, height]);
    };
    document.body.append(element);
    await element.updateComplete;
    const panel = part(element, "panel");
    look();
    expect(textIn(element)).to.equal("Sign in Signing you in…");
    await waitFor(() => servers.log.includes(TOKEN));
    await element.updateComplete;
    look();
    expect(boxes[1]).to.deep.equal(boxes[0]);
    expect(part(element, "panel")).to.equal(panel);
    release();
    await inState(element, "success");
    element.remove();
  });

  it("is pending during the token request, and continues when it is moved, with one request", async () => {
    const release = holdTokens();
    const element = await open(await responseUrl());
    await inState(element, "pending");
    expect(textIn(element)).to.equal("Sign in Signing you in…");
    const home = element.parentElement;
    element.remove();
    const second = document.createElement("oidc-callback");
    home?.append(element, second);
    release();
    await Promise.all([inState(element, "success"), inState(second, "success")]);
    expect(second.result).to.equal(element.result);
    expect(servers.log).to.deep.equal([TOKEN]);
  });

  it("reports success from the next element when it was removed during the token request", async () => {
    const release = holdTokens();
    const element = await open(await responseUrl());
    await inState(element, "pending");
    element.remove();
    release();
    await inState(element, "success");
    const success = nextEvent(document, "oidc-success");
    await fixture(html`<oidc-callback></oidc-callback>`);
    expect((await success).detail.tokenResponse.access_token).to.equal("secret-access");
  });

  describe("a refusal by the user", () => {
    it("reports oidc-cancel when the user refuses, with a link to where the login began", async () => {
      const cancelled = nextEvent(document, "oidc-cancel");
      const appState = { startUrl: `${location.origin}/begin` };
      const element = await open(await responseUrl({ error: "access_denied" }, { appState }));
      expect((await cancelled).detail).to.deep.equal({ reason: "refused" });
      await inState(element, "error");
      expect(textIn(element)).to.equal("Sign in You did not sign in. Start over");
      expect(startAgain(element).href).to.equal(`${location.origin}/begin`);
      expect(location.href).to.equal(href);
    });

    it("says where the login would have led, so that the next one may lead there", async () => {
      const cancelled = nextEvent(document, "oidc-cancel");
      const appState = { returnTo: `${location.origin}/rooms` };
      await open(await responseUrl({ error: "access_denied" }, { appState }));
      const returnTo = `${location.origin}/rooms`;
      expect((await cancelled).detail).to.deep.equal({ reason: "refused", returnTo });
    });

    for (const [where, startUrl, login] of [
      ["leads to this page", "/", ""],
      ["leads to this page's first route", "/#/", ""],
      ["is beside <oidc-login>", "/begin", "oidc-login"],
      ["is beside <matrix-login>", "/begin", "matrix-login"],
    ] as const) {
      it(`shows no link that ${where}`, async () => {
        if (login) document.body.append(document.createElement(login));
        const appState = { startUrl: location.origin + startUrl };
        const url = await responseUrl({ error: "access_denied" }, { appState });
        history.replaceState(null, "", "/");
        const element = await manual();
        await element.complete(url);
        expect(element.state).to.equal("error");
        await element.updateComplete;
        expect(element.shadowRoot?.querySelector("a")).to.be.null;
        if (login) document.querySelector(login)?.remove();
      });
    }

    for (const startUrl of ["https://evil.example/", `blob:${location.origin}/1`]) {
      it(`links to its own origin when the stored start URL is ${startUrl}`, async () => {
        const appState = { startUrl };
        const element = await open(await responseUrl({ error: "access_denied" }, { appState }));
        await inState(element, "error");
        expect(startAgain(element).href.startsWith(`${location.origin}/`)).to.be.true;
      });
    }

    it("shows the page's text in the slot for the error's code", async () => {
      const template = html`<oidc-callback><p slot="error-access_denied">Fine</p></oidc-callback>`;
      const element = await open(await responseUrl({ error: "access_denied" }), template);
      await inState(element, "error");
      const slot = element.shadowRoot?.querySelector<HTMLSlotElement>("[name=error-access_denied]");
      expect(slot?.assignedElements()[0]?.textContent).to.equal("Fine");
    });
  });

  describe("a failure", () => {
    const CODE = { code: "the-code" };
    const LATER = { error: "temporarily_unavailable", error_description: "<b>later</b>" };
    const EVIL = { ...CODE, iss: "https://evil.example" };
    const REJECTED = json({ error: "invalid_grant" }, 400);
    const REVOKE = `POST ${METADATA.revocation_endpoint}`;
    const OTHER_TYPE = json({ ...TOKENS, token_type: "mac" });
    for (const [code, what, text, parameters, tokens] of [
      ["authorization_failed", "another error of the provider", "couldn’t sign you in", LATER],
      ["issuer_mismatch", "another issuer in iss", "couldn’t be verified", EVIL],
      ["code_rejected", "a rejected code", "This sign-in is no longer valid.", CODE, REJECTED],
      ["token_response_invalid", "tokens of another type", "", CODE, OTHER_TYPE],
    ] as const) {
      it(`reports ${code} for ${what}, without secrets, markup or a retry`, async () => {
        servers.routes[TOKEN] = tokens ?? json(TOKENS);
        const failure = nextEvent(document, "oidc-error");
        const element = await open(await responseUrl(parameters));
        const { detail } = await failure;
        await inState(element, "error");
        expect(detail.code).to.equal(code);
        expect(textIn(element)).to.contain(text).and.to.contain("Start over");
        expect(element.shadowRoot?.querySelector("b, [part~=retry]")).to.equal(null);
        expect(everyTextIn(detail.error) + textIn(element)).not.to.match(/secret|the-code/);
        expect(document.documentElement.outerHTML).not.to.contain("the-code");
        // Tokens that are not used are revoked.
        const requests = tokens === OTHER_TYPE ? [TOKEN, REVOKE, REVOKE] : [TOKEN];
        expect(servers.log).to.deep.equal(tokens ? requests : []);
      });
    }

    it("offers a retry after a network error, which succeeds", async () => {
      servers.routes[TOKEN] = networkFailure;
      const element = await open(await responseUrl());
      await inState(element, "error");
      expect(element.error?.code).to.equal("network_error");
      expect(textIn(element)).to.contain("Try again");
      servers.routes[TOKEN] = json(TOKENS);
      part(element, "retry").click();
      await inState(element, "success");
      expect(element.error).to.be.undefined;
    });
  });

  describe("without a response", () => {
    // The response of an earlier test belongs to this page load, so a page load of its own is needed.
    let page: HTMLIFrameElement;
    afterEach(() => page.remove());

    const load = async (content: Partial<HTMLIFrameElement>) => {
      page = await loadFrame(content);
      const element = page.contentDocument?.querySelector("oidc-callback");
      if (!element) throw new Error("no element");
      return { element, content: element.ownerDocument };
    };
    const withBody = (body: string, parameters: object = {}): Partial<HTMLIFrameElement> => {
      const query = new URLSearchParams({ ...parameters, body }).toString();
      return { src: `/test/elements/support/page.html?${query}` };
    };
    const withoutOrigin = (body: string): Partial<HTMLIFrameElement> => ({
      srcdoc: `<!doctype html><html lang="en">${body}
        <script type="module" src="/dist/cdn/matrix-auth-elements.js"></script></html>`,
    });

    it("reports flow_unknown once when the URL has no response, although it is moved", async () => {
      const count = `document.title = 0; document.addEventListener("oidc-error", () => document.title++)`;
      const { element, content } = await load(
        withBody(`<script>${count}</script><main></main><oidc-callback></oidc-callback>`),
      );
      await inState(element, "error");
      expect(element.error?.message).to.equal(OidcError.MissingOrInvalidStoredState);
      expect(textIn(element)).to.match(/No sign-in in progress.*Start over$/);
      await waitFor(() => content.title === "1");
      content.querySelector("main")?.append(element);
      await timeForMore();
      expect(content.title).to.equal("1");
      expect(element.state).to.equal("error");
    });

    for (const attribute of ["", 'return-to="javascript:parent.ran = true"']) {
      it(`shows flow_unknown with a link of its own origin in a page without one: ${attribute}`, async () => {
        const body = `<oidc-callback ${attribute}></oidc-callback>`;
        const { element } = await load(withoutOrigin(body));
        await inState(element, "error");
        expect(textIn(element)).to.match(/No sign-in in progress.*Start over$/);
        expect(startAgain(element).protocol).to.equal(location.protocol);
      });
    }

    const both = "<oidc-callback></oidc-callback><oidc-login></oidc-login>";
    const shadow = `<oidc-callback></oidc-callback>
      <div><template shadowrootmode="open"><oidc-login></oidc-login></template></div>`;
    for (const [what, content] of Object.entries({
      "when <oidc-login> is on the page": withBody(both),
      "when <matrix-login> is on the page": withBody(
        "<oidc-callback></oidc-callback><matrix-login></matrix-login>",
      ),
      "when <oidc-login> is in a shadow tree": withoutOrigin(shadow),
      "for a response to a request of other code": withBody(both, { code: "c", state: "s" }),
      "when it is quiet": withBody("<oidc-callback quiet></oidc-callback>"),
    })) {
      it(`shows nothing and leaves the URL as it is ${what}`, async () => {
        const { element, content: document } = await load(content);
        const { href: before } = document.location;
        expect(before).to.contain(content.src ?? "about:srcdoc");
        await timeForMore();
        expect(element.state).to.equal("idle");
        expect(textIn(element)).to.equal("");
        expect(document.location.href).to.equal(before);
      });
    }

    it("is idle with manual until complete() is called", async () => {
      const { element } = await load(withBody("<oidc-callback manual></oidc-callback>"));
      await timeForMore();
      expect(element.state).to.equal("idle");
      await element.complete();
      expect(element.error?.code).to.equal("flow_unknown");
    });
  });

  describe("with complete()", () => {
    it("sends one token request when complete() is called several times with one URL", async () => {
      const release = holdTokens();
      const url = await responseUrl();
      const element = await manual();
      const both = Promise.all([element.complete(url), element.complete(url)]);
      await timeForMore();
      release();
      await both;
      expect(element.state).to.equal("success");
      const { result } = element;
      await element.complete(url);
      expect(element.result).to.equal(result);
      expect(servers.log).to.deep.equal([TOKEN]);
    });

    it("reports success once when complete() is called twice with the page's URL", async () => {
      history.replaceState(null, "", await responseUrl());
      const element = await manual();
      const successes = recordEvents(element, "oidc-success");
      await Promise.all([element.complete(location.href), element.complete(location.href)]);
      expect(element.state).to.equal("success");
      await waitFor(() => successes.length > 0);
      expect(successes).to.have.length(1);
    });

    it("completes two logins at the same time in two elements, one of them not in the document", async () => {
      const elements = [await manual(), new OidcCallbackElement()] as const;
      servers.routes[TOKEN] = ({ body }) => {
        const code = new URLSearchParams(body).get("code") ?? "";
        return Response.json({ ...TOKENS, access_token: `for-${code}` });
      };
      elements[1].manual = true;
      const urls = [await responseUrl({ code: "first" }), await responseUrl({ code: "second" })];
      await Promise.all(elements.map((element, i) => element.complete(urls[i])));
      const tokens = elements.map(({ result }) => result?.tokenResponse.access_token);
      expect(tokens).to.deep.equal(["for-first", "for-second"]);
    });

    it("is idle once its session has ended, and reports the next login", async () => {
      const successes = recordEvents(document, "oidc-success");
      const element = await fixture<OidcCallbackElement>(
        html`<oidc-callback manual persist="session"></oidc-callback>`,
      );
      await element.complete(await responseUrl());
      await waitFor(() => successes.length === 1);
      expect(element.client).to.exist;
      await element.session?.signOut();
      await inState(element, "idle");
      expect(textIn(element)).to.equal("");
      expect([element.client, element.session, element.result]).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ]);
      await element.complete(await responseUrl({ code: "another" }));
      expect(element.state).to.equal("success");
      await waitFor(() => successes.length === 2);
      await element.session?.signOut();
    });

    it("reports the outcome before the page's load event", async () => {
      const element = await manual();
      const url = await responseUrl({ error: "access_denied" });
      stub(document, "readyState", { value: "interactive" });
      await Promise.all([nextEvent(element, "oidc-cancel"), element.complete(url)]);
    });

    it("resolves when complete() is called with an invalid URL", async () => {
      const element = await manual();
      await element.complete("https://[");
      expect(element.state).not.to.equal("pending");
    });

    it("reports flow_unknown for a URL without a response after a success", async () => {
      const element = await manual();
      await element.complete(await responseUrl());
      expect(element.state).to.equal("success");
      await element.complete(`${location.origin}/elsewhere`);
      expect(element.error?.code).to.equal("flow_unknown");
      expect(element.result).to.equal(undefined);
    });

    it("navigates to the login's return-to when its own is empty", async () => {
      const element = await manual();
      element.returnTo = "";
      const appState = { returnTo: `${href}#began` };
      const success = nextEvent(element, "oidc-success");
      // What hash routers listen to.
      const followed = recordEvents(window, "popstate", "hashchange");
      await element.complete(await responseUrl(undefined, { appState }));
      expect((await success).detail.returnTo).to.equal(`${href}#began`);
      await waitFor(() => followed.length === 2);
      expect(location.hash).to.equal("#began");
    });

    it("says where it would go when oidc-success is cancelled, and stays", async () => {
      const element = await manual();
      element.returnTo = "#/account?tab=1";
      element.addEventListener("oidc-success", (event) => event.preventDefault());
      const success = nextEvent(element, "oidc-success");
      await element.complete(await responseUrl());
      const { detail } = await success;
      expect(detail.returnTo).to.equal(new URL("#/account?tab=1", document.baseURI).href);
      expect(element.result).not.to.have.property("returnTo");
      await timeForMore();
      expect(location.href).to.equal(href);
    });
  });

  describe("in a popup", () => {
    let states = 0;
    /** Opens the callback page there. @param acknowledges Whether its opener has the response at once. */
    const opened = async (acknowledges: boolean) => {
      const state = `mae-${String((states += 1))};popup`;
      const send = (message: object): void => {
        const { origin } = location;
        window.dispatchEvent(new MessageEvent("message", { data: { state, ...message }, origin }));
      };
      const postMessage = (): void => {
        if (acknowledges) send({ acknowledged: true });
      };
      stub(window, "opener", { value: { postMessage } });
      stub(window, "close", { value: () => undefined });
      const { setTimeout: later } = window;
      // The time that the opener has for its first word.
      stub(window, "setTimeout", {
        value: (run: () => void, ms: number) => later(run, ms === 10_000 ? 50 : ms),
      });
      const response = new URLSearchParams({ state, code: "the-code" }).toString();
      return { element: await open(`${href}#${response}`), send };
    };

    it("reports flow_unknown in a popup when its opener does not acknowledge the response", async () => {
      const { element } = await opened(false);
      await inState(element, "error");
      expect(element.error?.code).to.equal("flow_unknown");
    });

    for (const [outcome, state, text] of [
      ["success", "success", "You are signed in."],
      ["cancelled", "error", "You did not sign in."],
    ] as const) {
      it(`is pending in a popup until its opener reports ${outcome}`, async () => {
        const { element, send } = await opened(true);
        await timeForMore(200);
        expect(element.state).to.equal("pending");
        send({ outcome });
        await inState(element, state);
        expect(textIn(element)).to.contain(text);
      });
    }
  });

  describe("from single sign-on", () => {
    const API = `${HOMESERVER}/_matrix/client/v3`;
    const LOGIN = `POST ${API}/login`;
    const USER = "@alice:hs.example";

    beforeEach(() => {
      servers.routes[LOGIN] = json({
        user_id: USER,
        device_id: "DEVICE",
        access_token: "secret-access",
      });
    });

    /** The URL that the homeserver sends the browser back to. */
    const ssoUrl = (appState: Record<string, string> = {}): string => {
      const { state } = startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: href, appState });
      const url = new URL(href);
      url.searchParams.set("state", state);
      url.searchParams.set("loginToken", "secret-login-token");
      return url.href;
    };

    it("completes it, reports matrix-login-success alone, and keeps the session with persist", async () => {
      const events = recordEvents(document, "oidc-success", "matrix-login-success");
      const success = nextEvent(document, "matrix-login-success");
      const element = await open(ssoUrl(), html`<oidc-callback persist="session"></oidc-callback>`);
      expect(location.href).to.equal(href);
      expect((await success).detail).to.include({ method: "sso", userId: USER });
      expect(events).to.deep.equal(["matrix-login-success"]);
      expect([element.state, element.session?.kind]).to.deep.equal(["success", "legacy"]);
      expect(hasSession({ store: "sessionStorage" })).to.be.true;
      expect(servers.log[0]).to.equal(LOGIN);
      await element.session?.signOut();
    });

    for (const [what, sessionKey, key] of [
      ["its own, before that of the page that started the login", "own", "own"],
      ["that of the page that started the login", undefined, "started"],
    ] as const) {
      it(`keeps the session by the key that is ${what}`, async () => {
        const element = await open(
          ssoUrl({ sessionKey: "started" }),
          html`<oidc-callback persist="session" .sessionKey=${sessionKey}></oidc-callback>`,
        );
        await inState(element, "success");
        expect(element.session?.key).to.equal(key);
        await element.session?.signOut();
      });
    }

    it("lives in this page without persist", async () => {
      const element = await open(ssoUrl());
      await inState(element, "success");
      expect(await element.session?.accessToken()).to.equal("secret-access");
      expect(hasSession({ store: "sessionStorage" })).to.be.false;
    });

    it("links to where the login began after an error", async () => {
      servers.routes[LOGIN] = json({ errcode: "M_FORBIDDEN" }, 403);
      const startUrl = `${location.origin}/where-it-began`;
      const element = await open(ssoUrl({ startUrl }));
      await inState(element, "error");
      expect(startAgain(element).href).to.equal(startUrl);
    });

    it("reports matrix-login-error where the login token is refused, with a link to start again", async () => {
      servers.routes[LOGIN] = json({ errcode: "M_FORBIDDEN" }, 403);
      const error = nextEvent(document, "matrix-login-error");
      const element = await open(ssoUrl());
      expect((await error).detail).to.include({ method: "sso", code: "login_token_refused" });
      expect(textIn(element)).to.contain("no longer valid");
      expect(startAgain(element)).not.to.be.null;
    });

    it("offers a retry after a failure that may pass, which succeeds", async () => {
      const respond = servers.routes[LOGIN] ?? json({});
      servers.routes[LOGIN] = networkFailure;
      const element = await open(ssoUrl());
      await inState(element, "error");
      servers.routes[LOGIN] = respond;
      part(element, "retry").click();
      await inState(element, "success");
    });

    it("leaves a login token alone that nobody asked for", async () => {
      const element = await manual();
      await element.complete(`${href}?loginToken=foreign&state=foreign`);
      expect(element.error?.code).to.equal("flow_unknown");
      expect(servers.log).to.deep.equal([]);
    });
  });

  describe("with persist", () => {
    it("reports matrix-login-success with the user after oidc-success", async () => {
      const events = recordEvents(document, "oidc-success", "matrix-login-success");
      const success = nextEvent(document, "matrix-login-success");
      const element = await persisting("session");
      const { method, userId, session } = (await success).detail;
      expect([method, userId]).to.deep.equal(["oauth", "@alice:hs.example"]);
      expect(session).to.equal(element.session);
      expect(events).to.deep.equal(["oidc-success", "matrix-login-success"]);
      session.close();
    });

    const KEY = "matrix-auth-elements:session";
    const kept = (): readonly string[] =>
      [sessionStorage, localStorage].flatMap((storage) => storage.getItem(KEY) ?? []);
    const persisting = async (persist: string | undefined, url?: string) =>
      open(
        url ?? (await responseUrl()),
        html`<oidc-callback .persist=${persist as SessionPersistence}></oidc-callback>`,
      );

    const WHOAMI = `${HOMESERVER}/_matrix/client/v3/account/whoami`;

    beforeEach(() => {
      localStorage.removeItem(KEY);
      servers.routes[`GET ${WHOAMI}`] = json({ user_id: "@alice:hs.example" });
    });
    afterEach(() => localStorage.removeItem(KEY));

    for (const [persist, store] of [
      ["session", "sessionStorage"],
      ["local", "localStorage"],
      ["indexeddb", "indexedDB"],
    ] as const) {
      it(`keeps a session in ${store} before oidc-success with persist=${persist}`, async () => {
        const success = nextEvent(document, "oidc-success");
        const restored = success.then(() => OidcSession.restore({ store }));
        const element = await persisting(persist);
        const other = await restored;
        expect(await other?.accessToken()).to.equal("secret-access");
        expect(other?.user.deviceId).to.equal("DEVICE0001");
        expect(other?.oidcClientSettings.clientId).to.equal("registered");
        expect(other?.scope).to.equal(TOKENS.scope);
        expect(await listSessions({ store })).to.have.length(1);
        expect(await element.session?.accessToken()).to.equal("secret-access");
        element.session?.close();
        other?.close();
      });
    }

    it("has a client that uses the refreshed tokens", async () => {
      const element = await persisting("local");
      await inState(element, "success");
      servers.routes[TOKEN] = json({ ...TOKENS, access_token: "new" });
      await element.session?.refresh();
      await element.client?.whoami();
      expect(servers.to(WHOAMI).at(-1)?.headers.get("Authorization")).to.equal("Bearer new");
      element.session?.close();
    });

    for (const persist of [undefined, "", "none"]) {
      it(`keeps no session with persist ${persist ?? "unset"}`, async () => {
        const element = await persisting(persist);
        await inState(element, "success");
        expect(element.session).to.be.undefined;
        expect(kept()).to.deep.equal([]);
      });
    }

    it("reports settings_invalid without a request for another value of persist", async () => {
      const element = await persisting("for ever");
      await inState(element, "error");
      expect(element.error?.code).to.equal("settings_invalid");
      expect(servers.log).to.deep.equal([]);
    });

    it("offers a retry when the storage is full, without a second token request", async () => {
      const { setItem } = Storage.prototype;
      let full = true;
      stub(Storage.prototype, "setItem", {
        value(this: Storage, key: string, value: string) {
          if (full && key === KEY) throw new DOMException("", "QuotaExceededError");
          setItem.call(this, key, value);
        },
      });
      const element = await persisting("local");
      await inState(element, "error");
      expect(element.error?.code).to.equal("storage_full");
      full = false;
      part(element, "retry").click();
      await inState(element, "success");
      expect(servers.log.filter((line) => line === TOKEN)).to.have.length(1);
      expect(kept()).to.have.length(1);
      element.session?.close();
    });

    it("keeps the session of a login with an issuer and no homeserver", async () => {
      const url = await responseUrl(undefined, { homeserverUrl: "" });
      const element = await persisting("session", url);
      await inState(element, "success");
      const other = await OidcSession.restore({ store: "sessionStorage" });
      expect(await other?.accessToken()).to.equal("secret-access");
      expect(other?.homeserverUrl).to.equal("");
      element.session?.close();
      other?.close();
    });
  });
});
