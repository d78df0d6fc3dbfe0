import { ContextConsumer } from "@lit/context";
import { aTimeout, expect, fixture, html, oneEvent } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  OidcCallbackElement,
  OidcError,
  OidcSession,
  authClientContext,
  generateOidcAuthorizationUrl,
  validateAuthMetadata,
  type OidcErrorEvent,
  type OidcSuccessEvent,
  type SessionPersistence,
} from "matrix-auth-elements";
import { restoreStubs, stub } from "../../support/stub.js";
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

const SCOPE = "urn:matrix:client:api:* urn:matrix:client:device:DEVICE0001";
const TOKENS = {
  access_token: "secret-access",
  refresh_token: "secret-refresh",
  token_type: "Bearer",
  expires_in: 300,
  scope: SCOPE,
};
const TOKEN_REQUEST = `POST ${METADATA.token_endpoint}`;

/** WebKit refuses more than 100 changes of the address in 10 seconds; a test makes at most four. */
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
  let servers: Servers;
  const { href } = location;

  beforeEach(async () => {
    await waitForRoom();
    servers = scriptServers();
    servers.answers[METADATA.token_endpoint] = answerJson(TOKENS);
    sessionStorage.clear();
  });
  afterEach(() => {
    restoreNetwork();
    history.replaceState(null, "", href);
  });

  /** Starts a login, and gives the address that the provider would send the browser back to. */
  const answerTo = async (
    parameters: Record<string, string> = { code: "the-code" },
    appState?: Record<string, string>,
    homeserverUrl = HOMESERVER,
  ): Promise<string> => {
    const url = await generateOidcAuthorizationUrl({
      metadata: validateAuthMetadata(METADATA),
      clientId: "registered",
      homeserverUrl,
      redirectUri: href,
      nonce: "nonce",
      responseMode: "fragment",
      deviceId: "DEVICE0001",
      ...(appState && { appState }),
    });
    const state = new URL(url).searchParams.get("state") ?? "";
    return `${href}#${new URLSearchParams({ ...parameters, state }).toString()}`;
  };

  const open = async (address: string, template = html`<oidc-callback></oidc-callback>`) => {
    history.replaceState({ kept: true }, "", address);
    return fixture<OidcCallbackElement>(template);
  };
  const inState = (element: OidcCallbackElement, state: string): Promise<unknown> =>
    waitFor(
      () => element.state === state,
      () => `state ${element.state}, not ${state}`,
    );
  const text = async (element: OidcCallbackElement): Promise<string> => {
    await element.updateComplete;
    return element.shadowRoot?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  };
  const success = (target: EventTarget = document) =>
    oneEvent(target, "oidc-success") as Promise<OidcSuccessEvent>;
  const failure = (target: EventTarget = document) =>
    oneEvent(target, "oidc-error") as Promise<OidcErrorEvent>;

  it("exchanges the code of a login that began here, and reports oidc-success once", async () => {
    let told = 0;
    const count = (): number => (told += 1);
    document.addEventListener("oidc-success", count);
    const told1 = success();
    const element = await open(await answerTo());
    const { detail } = await told1;
    expect(detail.tokenResponse.access_token).to.equal("secret-access");
    expect(detail.homeserverUrl).to.equal(HOMESERVER);
    expect(detail.deviceId).to.equal("DEVICE0001");
    expect(element.state).to.equal("success");
    expect(element.matches(":state(success)")).to.be.true;
    expect(element.result).to.equal(detail);
    expect(await text(element)).to.equal("You are signed in.");
    await timeForMore();
    expect(told).to.equal(1);
    document.removeEventListener("oidc-success", count);
  });

  it("removes the response from the URL and the flow from storage before any request, and keeps other parameters", async () => {
    const [here, answer] = (await answerTo()).split("#", 2);
    const issuer = encodeURIComponent(METADATA.issuer);
    const address = `${here}#/route&${answer}&iss=${issuer}&flag&mine=a%20b`;
    const seen: unknown[] = [];
    servers.answers[METADATA.token_endpoint] = (): Response => {
      seen.push(location.href, history.state, sessionStorage.length);
      return Response.json(TOKENS);
    };
    await inState(await open(address), "success");
    expect(seen).to.deep.equal([`${href}#/route&flag&mine=a%20b`, { kept: true }, 0]);
    expect(servers.requests).to.deep.equal([TOKEN_REQUEST]);
  });

  it("has a client of the homeserver after success, and provides it as a context", async () => {
    const element = await open(
      await answerTo(),
      html`<oidc-callback><p id="inside"></p></oidc-callback>`,
    );
    await inState(element, "success");
    expect(element.client?.baseUrl).to.equal(HOMESERVER);
    expect(element.client?.accessToken).to.equal("secret-access");
    const inside = element.querySelector<HTMLElement>("#inside");
    if (!inside) throw new Error("no #inside");
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

  it("shows that it is pending during the token request", async () => {
    const late = answerLater(TOKENS);
    servers.answers[METADATA.token_endpoint] = late.answer;
    const element = await open(await answerTo());
    await inState(element, "pending");
    expect(await text(element)).to.equal("Signing you in…");
    late.send();
    await inState(element, "success");
  });

  it("continues when it is moved during the token request, with one request", async () => {
    const late = answerLater(TOKENS);
    servers.answers[METADATA.token_endpoint] = late.answer;
    const element = await open(await answerTo());
    await inState(element, "pending");
    const home = element.parentElement;
    element.remove();
    home?.append(element);
    const second = document.createElement("oidc-callback");
    home?.append(second);
    const told = success();
    late.send();
    await told;
    await inState(second, "success");
    expect(second.result).to.equal(element.result);
    expect(servers.requests).to.deep.equal([TOKEN_REQUEST]);
  });

  it("reports success from the next element when it was removed during the token request", async () => {
    const late = answerLater(TOKENS);
    servers.answers[METADATA.token_endpoint] = late.answer;
    const element = await open(await answerTo());
    await inState(element, "pending");
    element.remove();
    late.send();
    await inState(element, "success");
    const told = success();
    await fixture(html`<oidc-callback></oidc-callback>`);
    expect((await told).detail.tokenResponse.access_token).to.equal("secret-access");
  });

  describe("a refusal by the user", () => {
    it("reports oidc-cancel when the user refuses, with a link to where the login began", async () => {
      const cancelled = oneEvent(document, "oidc-cancel");
      const address = await answerTo(
        { error: "access_denied" },
        { startUrl: `${location.origin}/begin` },
      );
      const element = await open(address);
      expect((await cancelled).detail).to.deep.equal({ reason: "refused" });
      expect(await text(element)).to.equal("You did not sign in. Start over");
      const link = element.shadowRoot?.querySelector<HTMLAnchorElement>("[part=start-again]");
      expect(link?.href).to.equal(`${location.origin}/begin`);
      expect(location.href).to.equal(href);
    });

    for (const startUrl of ["https://evil.example/", `blob:${location.origin}/1`]) {
      it(`links to its own origin when the stored start URL is ${startUrl}`, async () => {
        const address = await answerTo({ error: "access_denied" }, { startUrl });
        const element = await open(address);
        await inState(element, "error");
        await element.updateComplete;
        const link = element.shadowRoot?.querySelector<HTMLAnchorElement>("[part=start-again]");
        expect(link?.href.startsWith(`${location.origin}/`)).to.be.true;
      });
    }
  });

  describe("a failure", () => {
    it("reports authorization_failed for another error of the provider, and shows its text as text", async () => {
      const told = failure();
      const element = await open(
        await answerTo({ error: "temporarily_unavailable", error_description: "<b>later</b>" }),
      );
      const { detail } = await told;
      expect(detail.error.message).to.equal(OidcError.CodeExchangeFailed);
      expect(detail.code).to.equal("authorization_failed");
      expect(element.shadowRoot?.querySelector("b")).to.equal(null);
    });

    it("offers a retry after a network error, which succeeds", async () => {
      delete servers.answers[METADATA.token_endpoint];
      const told = failure();
      const element = await open(await answerTo());
      expect((await told).detail.code).to.equal("network_error");
      expect(await text(element)).to.contain("Try again");
      servers.answers[METADATA.token_endpoint] = answerJson(TOKENS);
      const signedIn = success();
      element.shadowRoot?.querySelector<HTMLElement>("[part=retry]")?.click();
      await signedIn;
      expect(element.error).to.be.undefined;
    });

    it("offers no retry when the code was rejected", async () => {
      servers.answers[METADATA.token_endpoint] = answerJson({ error: "invalid_grant" }, 400);
      const told = failure();
      const element = await open(await answerTo());
      const { detail } = await told;
      expect(detail.error.message).to.equal(OidcError.CodeExchangeFailed);
      expect(detail.code).to.equal("code_rejected");
      expect(await text(element)).to.equal("This sign-in is no longer valid. Start over");
    });

    it("reports issuer_mismatch without a request when iss is another issuer", async () => {
      const told = failure();
      const element = await open(await answerTo({ code: "the-code", iss: "https://evil.example" }));
      const { detail } = await told;
      expect(detail.code).to.equal("issuer_mismatch");
      expect(String(detail.error.cause)).to.contain("https://evil.example");
      expect(await text(element)).to.contain("couldn’t be verified");
      expect(servers.requests).to.deep.equal([]);
    });

    it("puts no code, verifier or token into its error or the page", async () => {
      servers.answers[METADATA.token_endpoint] = answerJson({ ...TOKENS, token_type: "mac" });
      const told = failure();
      const element = await open(await answerTo());
      const { error } = (await told).detail;
      const everything = [
        error.message,
        String(error.cause),
        error.stack,
        await text(element),
      ].join();
      expect(everything).not.to.match(/secret|the-code/);
      expect(document.documentElement.outerHTML).not.to.contain("the-code");
    });
  });

  describe("without a response", () => {
    // The response of an earlier test belongs to this page load, so a page load of its own is needed.
    let page: HTMLIFrameElement;
    afterEach(() => page.remove());

    const load = async (
      content: Partial<HTMLIFrameElement>,
    ): Promise<{ element: OidcCallbackElement; content: Document }> => {
      page = Object.assign(document.createElement("iframe"), content);
      const loaded = oneEvent(page, "load");
      document.body.append(page);
      await loaded;
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

    it("shows flow_unknown with a link to start when the URL has no response", async () => {
      const { element } = await load(withBody("<oidc-callback></oidc-callback>"));
      await inState(element, "error");
      expect(element.error?.message).to.equal(OidcError.MissingOrInvalidStoredState);
      expect(await text(element)).to.match(/No sign-in in progress.*Start over$/);
    });

    it("reports flow_unknown once when it is moved", async () => {
      const count = `document.title = 0; document.addEventListener("oidc-error", () => document.title++)`;
      const { element, content } = await load(
        withBody(`<script>${count}</script><main></main><oidc-callback></oidc-callback>`),
      );
      await inState(element, "error");
      await waitFor(() => content.title === "1");
      content.querySelector("main")?.append(element);
      await timeForMore();
      expect(content.title).to.equal("1");
      expect(element.state).to.equal("error");
    });

    for (const attribute of ["", 'return-to="javascript:parent.ran = true"']) {
      it(`shows flow_unknown with a link of its own origin in a page without one: ${attribute}`, async () => {
        const { element } = await load(
          withoutOrigin(`<oidc-callback ${attribute}></oidc-callback>`),
        );
        await inState(element, "error");
        expect(await text(element)).to.match(/No sign-in in progress.*Start over$/);
        const link = element.shadowRoot?.querySelector<HTMLAnchorElement>("[part=start-again]");
        expect(link?.protocol).to.equal(location.protocol);
      });
    }

    const both = "<oidc-callback></oidc-callback><oidc-login></oidc-login>";
    const shadow = `<oidc-callback></oidc-callback>
      <div><template shadowrootmode="open"><oidc-login></oidc-login></template></div>`;
    for (const [what, content] of Object.entries({
      "when <oidc-login> is on the page": withBody(both),
      "when <oidc-login> is in a shadow tree": withoutOrigin(shadow),
      "for a response to a request of other code": withBody(both, { code: "c", state: "s" }),
    })) {
      it(`shows nothing and leaves the URL as it is ${what}`, async () => {
        const { element, content: shown } = await load(content);
        const { href: before } = shown.location;
        expect(before).to.contain(content.src ?? "about:srcdoc");
        await timeForMore();
        expect(element.state).to.equal("idle");
        expect(await text(element)).to.equal("");
        expect(shown.location.href).to.equal(before);
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

  it("completes the URL that complete() is called with", async () => {
    const address = await answerTo();
    const element = document.createElement("oidc-callback");
    element.manual = true;
    document.body.append(element);
    await element.complete(address);
    expect(element.result?.tokenResponse.access_token).to.equal("secret-access");
    element.remove();
  });

  describe("with complete()", () => {
    const manual = async (): Promise<OidcCallbackElement> =>
      fixture<OidcCallbackElement>(html`<oidc-callback manual></oidc-callback>`);

    it("sends one token request when complete() is called several times with one URL", async () => {
      const late = answerLater(TOKENS);
      servers.answers[METADATA.token_endpoint] = late.answer;
      const address = await answerTo();
      const element = await manual();
      const both = Promise.all([element.complete(address), element.complete(address)]);
      await timeForMore();
      late.send();
      await both;
      expect(element.state).to.equal("success");
      const { result } = element;
      await element.complete(address);
      expect(element.result).to.equal(result);
      expect(servers.requests).to.deep.equal([TOKEN_REQUEST]);
    });

    it("reports success once when complete() is called twice with the page's URL", async () => {
      history.replaceState(null, "", await answerTo());
      const element = await manual();
      let told = 0;
      element.addEventListener("oidc-success", () => (told += 1));
      await Promise.all([element.complete(location.href), element.complete(location.href)]);
      expect(element.state).to.equal("success");
      await waitFor(() => told > 0);
      expect(told).to.equal(1);
    });

    it("completes two logins in two elements at the same time", async () => {
      const [first, second] = await Promise.all([manual(), manual()]);
      const addresses = [await answerTo({ code: "first" }), await answerTo({ code: "second" })];
      servers.answers[METADATA.token_endpoint] = async (request) => {
        const code = new URLSearchParams(await request.text()).get("code") ?? "";
        return Response.json({ ...TOKENS, access_token: `for-${code}` });
      };
      await Promise.all([first.complete(addresses[0]), second.complete(addresses[1])]);
      expect(first.result?.tokenResponse.access_token).to.equal("for-first");
      expect(second.result?.tokenResponse.access_token).to.equal("for-second");
    });

    it("completes in an element that is not in the document", async () => {
      const element = document.createElement("oidc-callback");
      element.manual = true;
      await element.complete(await answerTo());
      expect(element.result?.tokenResponse.access_token).to.equal("secret-access");
    });

    it("reports the outcome before the page's load event", async () => {
      const element = await fixture<OidcCallbackElement>(
        html`<oidc-callback manual></oidc-callback>`,
      );
      const address = await answerTo({ error: "access_denied" });
      Object.defineProperty(document, "readyState", { value: "interactive", configurable: true });
      try {
        const told = oneEvent(element, "oidc-cancel");
        await Promise.all([told, element.complete(address)]);
      } finally {
        Reflect.deleteProperty(document, "readyState");
      }
    });

    it("resolves when complete() is called with an invalid URL", async () => {
      const element = await manual();
      await element.complete("https://[");
      expect(element.state).not.to.equal("pending");
    });

    it("reports flow_unknown for a URL without a response after a success", async () => {
      const element = await manual();
      await element.complete(await answerTo());
      expect(element.state).to.equal("success");
      await element.complete(`${location.origin}/elsewhere`);
      expect(element.error?.code).to.equal("flow_unknown");
      expect(element.result).to.equal(undefined);
    });

    it("navigates to the login's return-to when its own is empty", async () => {
      const element = await manual();
      element.returnTo = "";
      await element.complete(await answerTo(undefined, { returnTo: `${href}#began` }));
      await waitFor(() => location.hash === "#began");
    });
  });

  describe("in a popup", () => {
    afterEach(restoreStubs);

    let states = 0;
    /** Opens the callback page there. @param acknowledges Whether its opener has the answer at once. */
    const opened = async (acknowledges: boolean) => {
      const state = `mae-${String((states += 1))};popup`;
      const tell = (message: object): void => {
        const { origin } = location;
        window.dispatchEvent(new MessageEvent("message", { data: { state, ...message }, origin }));
      };
      const postMessage = (): void => {
        if (acknowledges) tell({ acknowledged: true });
      };
      stub(window, "opener", { value: { postMessage } });
      stub(window, "close", { value: () => undefined });
      const { setTimeout: later } = window;
      // The time that the opener has for its first word.
      stub(window, "setTimeout", {
        value: (run: () => void, ms: number) => later(run, ms === 10_000 ? 50 : ms),
      });
      const answer = new URLSearchParams({ state, code: "the-code" }).toString();
      return { element: await open(`${href}#${answer}`), tell };
    };

    it("reports flow_unknown in a popup when its opener does not acknowledge the response", async () => {
      const { element } = await opened(false);
      await inState(element, "error");
      expect(element.error?.code).to.equal("flow_unknown");
    });

    it("is pending in a popup until its opener reports the outcome", async () => {
      const { element, tell } = await opened(true);
      await timeForMore(200);
      expect(element.state).to.equal("pending");
      tell({ outcome: "success" });
      await inState(element, "success");
      expect(await text(element)).to.equal("You are signed in.");
    });

    it("shows that nobody is signed in when the opener has cancelled", async () => {
      const { element, tell } = await opened(true);
      tell({ outcome: "cancelled" });
      await inState(element, "error");
      expect(await text(element)).to.contain("You did not sign in.");
    });
  });

  describe("with persist", () => {
    const KEY = "matrix-auth-elements:session";
    const { setItem } = Storage.prototype;
    const kept = (): readonly string[] =>
      [sessionStorage, localStorage].flatMap((storage) => storage.getItem(KEY) ?? []);

    beforeEach(() => localStorage.removeItem(KEY));
    afterEach(() => {
      Storage.prototype.setItem = setItem;
      localStorage.removeItem(KEY);
    });

    for (const [persist, store] of [
      ["session", "sessionStorage"],
      ["local", "localStorage"],
    ] as const) {
      it(`keeps a session in ${store} before oidc-success with persist=${persist}`, async () => {
        const restored = success().then(() => OidcSession.restore({ store }));
        const element = await open(
          await answerTo(),
          html`<oidc-callback persist=${persist}></oidc-callback>`,
        );
        const other = await restored;
        expect(await other?.accessToken()).to.equal("secret-access");
        expect(other?.user.deviceId).to.equal("DEVICE0001");
        expect(other?.oidcClientSettings.clientId).to.equal("registered");
        expect(other?.scope).to.equal(SCOPE);
        expect(kept()).to.have.length(1);
        expect(await element.session?.accessToken()).to.equal("secret-access");
        element.session?.close();
        other?.close();
      });
    }

    it("has a client that uses the refreshed tokens", async () => {
      const element = await open(
        await answerTo(),
        html`<oidc-callback persist="local"></oidc-callback>`,
      );
      await inState(element, "success");
      servers.answers[METADATA.token_endpoint] = answerJson({ ...TOKENS, access_token: "new" });
      await element.session?.refresh();
      let sent: string | null | undefined;
      servers.answers[`${HOMESERVER}/_matrix/client/v3/account/whoami`] = (init) => {
        sent = new Headers(init?.headers).get("Authorization");
        return answerJson({ user_id: "@alice:hs.example" })(init);
      };
      await element.client?.whoami();
      expect(sent).to.equal("Bearer new");
      element.session?.close();
    });

    for (const persist of [undefined, "", "none"]) {
      it(`keeps no session with persist ${persist ?? "unset"}`, async () => {
        const address = await answerTo();
        const element = await open(
          address,
          html`<oidc-callback
            .persist=${persist as SessionPersistence | undefined}
          ></oidc-callback>`,
        );
        await inState(element, "success");
        expect(element.session).to.be.undefined;
        expect(kept()).to.deep.equal([]);
      });
    }

    it("reports settings_invalid without a request for another value of persist", async () => {
      const element = await open(
        await answerTo(),
        html`<oidc-callback persist="for ever"></oidc-callback>`,
      );
      await inState(element, "error");
      expect(element.error?.code).to.equal("settings_invalid");
      expect(servers.requests).to.deep.equal([]);
    });

    it("offers a retry when the storage is full, without a second token request", async () => {
      Storage.prototype.setItem = function (key, value) {
        if (key === KEY) throw new DOMException("", "QuotaExceededError");
        setItem.call(this, key, value);
      };
      const element = await open(
        await answerTo(),
        html`<oidc-callback persist="local"></oidc-callback>`,
      );
      await inState(element, "error");
      expect(element.error?.code).to.equal("storage_full");
      Storage.prototype.setItem = setItem;
      await element.updateComplete;
      element.shadowRoot?.querySelector<HTMLElement>("[part=retry]")?.click();
      await inState(element, "success");
      expect(servers.requests).to.deep.equal([TOKEN_REQUEST]);
      expect(kept()).to.have.length(1);
      element.session?.close();
    });

    it("keeps the session of a login with an issuer and no homeserver", async () => {
      const element = await open(
        await answerTo(undefined, undefined, ""),
        html`<oidc-callback persist="session"></oidc-callback>`,
      );
      await inState(element, "success");
      const other = await OidcSession.restore({ store: "sessionStorage" });
      expect(await other?.accessToken()).to.equal("secret-access");
      expect(other?.homeserverUrl).to.equal("");
      element.session?.close();
      other?.close();
    });
  });

  it("has a slot for each error's code", async () => {
    const element = await open(
      await answerTo({ error: "access_denied" }),
      html`<oidc-callback><p slot="error-access_denied">As you like</p></oidc-callback>`,
    );
    await inState(element, "error");
    await element.updateComplete;
    const slot = element.shadowRoot?.querySelector<HTMLSlotElement>(
      "slot[name=error-access_denied]",
    );
    expect(slot?.assignedElements()[0]?.textContent).to.equal("As you like");
  });
});
