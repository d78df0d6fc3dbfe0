import { ContextConsumer } from "@lit/context";
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  OidcCallbackElement,
  OidcError,
  OidcSession,
  listSessions,
  authClientContext,
  hasSession,
  restoreSession,
  startSsoLogin,
  type SessionPersistence,
} from "matrix-auth-elements";
import { generateScope } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { everyTextIn } from "../../support/rejection.js";
import { Clock, until } from "../../support/clock.js";
import { realPause } from "../../support/real-pause.js";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part, recordEvents, textIn } from "../support/element.js";
import {
  HOMESERVER,
  ISSUER,
  KEYS,
  REVOCATION,
  TOKEN,
  authorizationUrl,
  hold,
  logOf,
  responseUrl,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

/** WebKit rejects more than 100 changes of the URL in 10 seconds; a test makes at most four. */
const MAX_TESTS_IN_10_S = 24;
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent);
const begun: number[] = [];

async function waitForRoom(): Promise<void> {
  const earlier = begun.at(-MAX_TESTS_IN_10_S);
  if (isWebKit && earlier !== undefined) {
    await realPause(Math.max(0, earlier + 10_500 - performance.now()));
  }
  begun.push(performance.now());
}

/** The requests of a sign-in: the keys for its ID token, and the tokens. */
const EXCHANGE = [KEYS, TOKEN];
/** The first access token that the servers issue. */
const ACCESS_TOKEN = "access-token-2";

describe("<oidc-callback>", () => {
  let servers: TestServers;
  // The folder's own URL is the target of a link, so it cannot be the callback.
  history.replaceState(null, "", `/callback${location.search}`);
  const { href } = location;

  beforeEach(async () => {
    await waitForRoom();
    servers = await useTestServers({
      login: ["oauth", "sso"],
      accounts: { alice: "password", bob: "password" },
    });
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

  const startAgain = (element: OidcCallbackElement): HTMLAnchorElement =>
    part<HTMLAnchorElement>(element, "start-again");

  it("exchanges the code of a sign-in that started here, and reports oidc-success once", async () => {
    const successes = recordEvents(document, "oidc-success");
    const success = nextEvent(document, "oidc-success");
    const element = await open(await responseUrl(servers, {}, { deviceId: "DEVICE0001" }));
    const { detail } = await success;
    expect(detail.tokenResponse.access_token).to.equal(ACCESS_TOKEN);
    expect(detail).to.include({ homeserverUrl: HOMESERVER, deviceId: "DEVICE0001" });
    expect(element.matches(":state(success)")).to.be.true;
    expect(element.result).to.equal(detail);
    await inState(element, "success");
    expect(textIn(element)).to.equal("You’re signed in. Continue");
    await untilQuiet();
    expect(successes).to.have.length(1);
  });

  it("removes the response from the URL and the flow from storage before any request, and keeps other parameters", async () => {
    const [here, response] = (await responseUrl(servers)).split("#", 2);
    const atRequest: unknown[] = [];
    servers.override("", () => {
      atRequest.push(location.href, history.state, sessionStorage.length);
      return undefined;
    });
    const url = `${here}#/route&${response}&flag&mine=a%20b`;
    await inState(await open(url), "success");
    expect(atRequest).to.deep.equal([`${href}#/route&flag&mine=a%20b`, { kept: true }, 0]);
    expect(logOf(servers)).to.deep.equal(EXCHANGE);
  });

  for (const how of ["throws", "does nothing"]) {
    it(`removes the response from the URL as soon as the browser, which at first ${how}, allows it, and loses nothing`, async () => {
      const clock = new Clock();
      const url = await responseUrl(servers);
      history.replaceState({ kept: true }, "", url);
      let isLimited = true;
      stub(history, "replaceState", {
        value(...change: Parameters<History["replaceState"]>) {
          if (!isLimited) History.prototype.replaceState.apply(history, change);
          else if (how === "throws") throw new DOMException("Too often.", "SecurityError");
        },
      });
      const element = await fixture<OidcCallbackElement>(html`<oidc-callback></oidc-callback>`);
      await inState(element, "success");
      await manual();
      await clock.pass(1000);
      expect(location.href).to.equal(url);
      expect(clock.pending, "there is one next try").to.deep.equal([1000]);
      isLimited = false;
      await clock.pass(1000);
      expect(location.href).to.equal(href);
      expect(history.state).to.deep.equal({ kept: true });
      expect(logOf(servers)).to.deep.equal(EXCHANGE);
      expect(clock.pending).to.be.empty;
    });
  }

  it("leaves only the page's own parameters in the URL after a rejection with the parameters of other flows", async () => {
    const [here, response] = (await responseUrl(servers)).split("#", 2);
    const refusal = new URLSearchParams(response);
    for (const name of ["error", "error_uri", "session_state", "id_token", "access_token"]) {
      refusal.set(name, "a.b.c");
    }
    for (const name of ["token_type", "expires_in", "scope", "response"]) refusal.set(name, "x");
    const own = "token=mine&scopes=a%20b&&Code=1&response_id=+";
    const element = await open(`${here}?scope=of-the-page#${refusal}&${own}`);
    await inState(element, "error");
    expect(location.href).to.equal(`${href}?scope=of-the-page#${own}`);
    expect(logOf(servers)).to.be.empty;
  });

  it("counts down to the end of a rate limit, and announces it once", async () => {
    servers.rateLimit("/token", { retryAfterMs: 60_000 });
    const url = await responseUrl(servers);
    const clock = new Clock();
    const element = await open(url);
    await inState(element, "error");
    const [said, shown] = part(element, "error").querySelectorAll("div");
    const first = "Too many attempts. Try again in 60 seconds.";
    expect(said?.textContent).to.equal(first);
    expect(shown?.getAttribute("aria-hidden")).to.equal("true");
    await clock.pass(2000);
    expect(shown?.textContent).to.include("in 58 seconds");
    expect(said?.textContent).to.equal(first);
    part(element, "retry").click();
    await inState(element, "success");
  });

  it("counts down even if the server requests no specific delay, and announces it once", async () => {
    servers.override("/token", () => Response.json({}, { status: 429 }));
    const url = await responseUrl(servers);
    const clock = new Clock();
    const element = await open(url);
    await inState(element, "error");
    await clock.pass(1000);
    expect(textIn(element)).to.include("Try again in 9 seconds");
    part(element, "retry").click();
    await inState(element, "success");
  });

  for (const [what, response, respond, heading, details] of [
    ["a network error", {}, () => Response.error(), "Sign-in isn’t complete yet", "network_error"],
    [
      "a code that is no longer good",
      {},
      () => Response.json({ error: "invalid_grant" }, { status: 400 }),
      "Sign-in expired",
      "code_rejected",
    ],
    [
      "an app that the provider rejects",
      {},
      () => Response.json({ error: "invalid_client" }, { status: 400 }),
      "Sign-in failed",
      "token_request_refused",
    ],
    [
      "a provider that failed",
      { error: "server_error" },
      undefined,
      "Sign-in failed",
      "authorization_failed",
    ],
    ["a user who declined", { error: "access_denied" }, undefined, "Sign in", undefined],
  ] as const) {
    it(`has the heading “${heading}” after ${what}, and ${details ?? "no code"} with the provider's name`, async () => {
      if (respond) servers.override("/token", respond);
      const element = await open(await responseUrl(servers, response));
      await inState(element, "error");
      expect(part(element, "heading").textContent).to.equal(heading);
      const shown = element.shadowRoot?.querySelector("[part=details]")?.textContent;
      expect(shown).to.equal(details && `${new URL(ISSUER).host} · ${details}`);
    });
  }

  it("shows no code if the page shows the error itself, or replaces its text", async () => {
    const template = html`<oidc-callback
      ><span slot="error-authorization_failed">Ask Ann.</span></oidc-callback
    >`;
    const element = await open(await responseUrl(servers, { error: "server_error" }), template);
    await inState(element, "error");
    const details = element.shadowRoot?.querySelector<HTMLElement>("[part=details]");
    expect(details?.checkVisibility()).to.be.false;
  });

  for (const [what, slotted, isShown] of [
    ["a link", html`<p slot="success">There. <a href="#in">Go in</a></p>`, false],
    ["a button", html`<button slot="success">Go in</button>`, false],
    ["a text", html`<p slot="success">There you are.</p>`, true],
    ["nothing", "", true],
  ] as const) {
    it(`${isShown ? "offers to" : "does not offer to"} continue if the page has ${what} for success`, async () => {
      const template = html`<oidc-callback>${slotted}</oidc-callback>`;
      const element = await open(await responseUrl(servers), template);
      await inState(element, "success");
      expect(element.shadowRoot?.querySelector("[part=continue]") !== null).to.equal(isShown);
    });
  }

  for (const [given, ms] of [
    [undefined, 30_000],
    ["60000", 60_000],
    ["soon", 30_000],
  ] as const) {
    it(`limits each request to ${ms} ms with timeout-ms="${given}"`, async () => {
      const url = await responseUrl(servers);
      servers.override("", () => new Promise(() => undefined), { times: Infinity });
      const clock = new Clock();
      const element = document.createElement("oidc-callback");
      if (given !== undefined) element.setAttribute("timeout-ms", given);
      history.replaceState(null, "", url);
      document.body.append(element);
      await until(() => clock.pending.includes(ms));
      expect(clock.pending).not.to.include(ms === 60_000 ? 30_000 : 10_000);
      element.remove();
    });
  }

  it("has a client of the homeserver after success, and provides it as a context", async () => {
    const template = html`<oidc-callback><p id="inside"></p></oidc-callback>`;
    const element = await open(await responseUrl(servers), template);
    await inState(element, "success");
    expect(element.client).to.include({ baseUrl: HOMESERVER, accessToken: ACCESS_TOKEN });
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

  it("shows the same panel before and after its code is loaded", async () => {
    const { asked, release } = hold(servers, "/token");
    history.replaceState(null, "", await responseUrl(servers));
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
    await asked;
    await element.updateComplete;
    look();
    expect(boxes[1]).to.deep.equal(boxes[0]);
    expect(part(element, "panel")).to.equal(panel);
    release();
    await inState(element, "success");
    element.remove();
  });

  it("is pending during the token request, and continues when it is moved, with one request", async () => {
    const { release } = hold(servers, "/token");
    const element = await open(await responseUrl(servers));
    await inState(element, "pending");
    expect(textIn(element)).to.equal("Sign in Signing you in…");
    const home = element.parentElement;
    element.remove();
    const second = document.createElement("oidc-callback");
    home?.append(element, second);
    release();
    await Promise.all([inState(element, "success"), inState(second, "success")]);
    expect(second.result).to.equal(element.result);
    expect(logOf(servers)).to.deep.equal(EXCHANGE);
  });

  it("reports success from the next element when it was removed during the token request", async () => {
    const { release } = hold(servers, "/token");
    const element = await open(await responseUrl(servers));
    await inState(element, "pending");
    element.remove();
    release();
    await inState(element, "success");
    const success = nextEvent(document, "oidc-success");
    await fixture(html`<oidc-callback></oidc-callback>`);
    expect((await success).detail.tokenResponse.access_token).to.equal(ACCESS_TOKEN);
  });

  describe("a sign-in that the user declined", () => {
    it("reports oidc-cancel when the user declines, with a link to the page that started the sign-in", async () => {
      const cancelled = nextEvent(document, "oidc-cancel");
      const appState = { startUrl: `${location.origin}/begin` };
      const element = await open(
        await responseUrl(servers, { error: "access_denied" }, { appState }),
      );
      expect((await cancelled).detail).to.deep.equal({ reason: "refused" });
      await inState(element, "error");
      expect(textIn(element)).to.equal("Sign in Sign-in was cancelled. Start over");
      expect(startAgain(element).href).to.equal(`${location.origin}/begin`);
      // Not that of the page's `<base>`.
      expect(startAgain(element).target).to.equal("_self");
      expect(location.href).to.equal(href);
    });

    it("reports the sign-in's return URL, so that the next one can use it", async () => {
      const cancelled = nextEvent(document, "oidc-cancel");
      const appState = { returnTo: `${location.origin}/rooms` };
      await open(await responseUrl(servers, { error: "access_denied" }, { appState }));
      const returnTo = `${location.origin}/rooms`;
      expect((await cancelled).detail).to.deep.equal({ reason: "refused", returnTo });
    });

    for (const [where, startUrl, login] of [
      ["leads to this page", "/", ""],
      ["leads to this page's first route", "/#/", ""],
      ["is next to <oidc-login>", "/begin", "oidc-login"],
      ["is next to <matrix-login>", "/begin", "matrix-login"],
    ] as const) {
      it(`shows no link that ${where}`, async () => {
        if (login) document.body.append(document.createElement(login));
        const appState = { startUrl: location.origin + startUrl };
        const url = await responseUrl(servers, { error: "access_denied" }, { appState });
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
        const element = await open(
          await responseUrl(servers, { error: "access_denied" }, { appState }),
        );
        await inState(element, "error");
        expect(startAgain(element).href.startsWith(`${location.origin}/`)).to.be.true;
      });
    }

    it("shows the page's text in the slot for the error's code", async () => {
      const template = html`<oidc-callback><p slot="error-access_denied">Fine</p></oidc-callback>`;
      const element = await open(await responseUrl(servers, { error: "access_denied" }), template);
      await inState(element, "error");
      const slot = element.shadowRoot?.querySelector<HTMLSlotElement>("[name=error-access_denied]");
      expect(slot?.assignedElements()[0]?.textContent).to.equal("Fine");
    });
  });

  describe("a failure", () => {
    const LATER = { error: "temporarily_unavailable", error_description: "<b>later</b>" };
    const EVIL = { iss: "https://evil.example" };
    const reject = (): unknown => servers.refuse("/token", 400, { error: "invalid_grant" });
    const OTHER_TYPE = { access_token: "secret", refresh_token: "secret", token_type: "mac" };
    const respondWithOthers = (): unknown =>
      servers.override("/token", () => Response.json(OTHER_TYPE));
    // Unused tokens are revoked.
    const REVOKED = [...EXCHANGE, REVOCATION, REVOCATION];
    for (const [code, what, text, parameters, requests, arrange] of [
      ["authorization_failed", "another error of the provider", "couldn’t sign you in", LATER, []],
      ["issuer_mismatch", "another issuer in iss", "couldn’t be verified", EVIL, []],
      [
        "code_rejected",
        "a rejected code",
        "This sign-in is no longer valid.",
        {},
        EXCHANGE,
        reject,
      ],
      ["token_response_invalid", "tokens of another type", "", {}, REVOKED, respondWithOthers],
    ] as const) {
      it(`reports ${code} for ${what}, without secrets, markup or a retry`, async () => {
        arrange?.();
        const failure = nextEvent(document, "oidc-error");
        const element = await open(await responseUrl(servers, parameters));
        const { detail } = await failure;
        await inState(element, "error");
        expect(detail.code).to.equal(code);
        expect(textIn(element)).to.contain(text).and.to.contain("Start over");
        expect(element.shadowRoot?.querySelector("b, [part~=retry]")).to.equal(null);
        expect(everyTextIn(detail.error) + textIn(element)).not.to.match(/secret|code-\d/);
        expect(document.documentElement.outerHTML).not.to.match(/code-\d/);
        await waitFor(() => servers.requests.length >= requests.length);
        expect(logOf(servers)).to.deep.equal(requests);
      });
    }

    it("offers a retry after a network error, which succeeds", async () => {
      servers.disconnect("/token");
      const element = await open(await responseUrl(servers));
      await inState(element, "error");
      expect(element.error?.code).to.equal("network_error");
      expect(textIn(element)).to.contain("Try again");
      const places = ["retry", "start-again"].map((name) => {
        const [box, text] = [part(element, name), document.createRange()];
        text.selectNodeContents(box);
        const { top, bottom } = text.getBoundingClientRect();
        return top + bottom - box.getBoundingClientRect().top - box.getBoundingClientRect().bottom;
      });
      expect(places[0], "the link's text is elsewhere").to.be.closeTo(places[1] ?? NaN, 0.5);
      part(element, "retry").click();
      await inState(element, "success");
      expect(element.error).to.be.undefined;
    });
  });

  describe("without a response", () => {
    // An earlier test's response belongs to its page load, so these tests load a separate page.
    let page: HTMLIFrameElement;
    afterEach(() => page.remove());

    const load = async (content: Partial<HTMLIFrameElement>) => {
      page = await loadFrame(content);
      const element = page.contentDocument?.querySelector("oidc-callback");
      if (!element) throw new Error("no element");
      return { element, content: element.ownerDocument };
    };
    const UNKNOWN = /No sign-in is in progress.*Start over$/;
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
      await waitFor(() => UNKNOWN.test(textIn(element)));
      await waitFor(() => content.title === "1");
      content.querySelector("main")?.append(element);
      await untilQuiet();
      expect(content.title).to.equal("1");
      expect(element.state).to.equal("error");
    });

    for (const attribute of ["", 'return-to="javascript:parent.ran = true"']) {
      it(`shows flow_unknown, with a link to its own origin, on a page without a response: ${attribute}`, async () => {
        const body = `<oidc-callback ${attribute}></oidc-callback>`;
        const { element } = await load(withoutOrigin(body));
        await inState(element, "error");
        await waitFor(() => UNKNOWN.test(textIn(element)));
        expect(startAgain(element).protocol).to.equal(location.protocol);
      });
    }

    for (const query of [
      "?code=c&state=s",
      "?error=e&state=s",
      "?loginToken=t&state=s",
      "#code=c&state=s",
      "?lang=de",
      "?lang=de&theme",
      "?lang=de&code=c&state=s",
      "?lang=de#error=e&state=s",
    ]) {
      it(`shows no link to itself if it is opened with ${query} without a known sign-in`, async () => {
        const { element, content } = await load(withBody("<oidc-callback></oidc-callback>"));
        content.defaultView?.history.replaceState(null, "", `/${query}`);
        element.remove();
        await element.complete(String(content.defaultView?.location.href));
        content.body.append(element);
        await inState(element, "error");
        const link = element.shadowRoot?.querySelector("[part=start-again]");
        expect(link?.getAttribute("href")).to.equal(undefined);
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
      it(`shows nothing and leaves the URL unchanged ${what}`, async () => {
        const { element, content: document } = await load(content);
        const { href: before } = document.location;
        expect(before).to.contain(content.src ?? "about:srcdoc");
        await untilQuiet();
        expect(element.state).to.equal("idle");
        expect(textIn(element)).to.equal("");
        expect(document.location.href).to.equal(before);
      });
    }

    it("is idle with manual until complete() is called", async () => {
      const { element } = await load(withBody("<oidc-callback manual></oidc-callback>"));
      await untilQuiet();
      expect(element.state).to.equal("idle");
      await element.complete();
      expect(element.error?.code).to.equal("flow_unknown");
    });
  });

  describe("with complete()", () => {
    it("sends one token request when complete() is called several times with one URL", async () => {
      const { release } = hold(servers, "/token");
      const url = await responseUrl(servers);
      const element = await manual();
      const both = Promise.all([element.complete(url), element.complete(url)]);
      await untilQuiet();
      release();
      await both;
      expect(element.state).to.equal("success");
      const { result } = element;
      await element.complete(url);
      expect(element.result).to.equal(result);
      expect(logOf(servers)).to.deep.equal(EXCHANGE);
    });

    it("reports success once when complete() is called twice with the page's URL", async () => {
      history.replaceState(null, "", await responseUrl(servers));
      const element = await manual();
      const successes = recordEvents(element, "oidc-success");
      await Promise.all([element.complete(location.href), element.complete(location.href)]);
      expect(element.state).to.equal("success");
      await waitFor(() => successes.length > 0);
      expect(successes).to.have.length(1);
    });

    it("completes two sign-ins at the same time in two elements, one of them not in the document", async () => {
      const elements = [await manual(), new OidcCallbackElement()] as const;
      elements[1].manual = true;
      const pages = [await authorizationUrl(servers), await authorizationUrl(servers)];
      const urls = ["alice", "bob"].map((user, i) => servers.approve(pages[i] ?? "", { user }));
      await Promise.all(elements.map((element, i) => element.complete(urls[i])));
      const users = elements.map(({ result }) => result?.idTokenClaims?.sub);
      expect(users).to.deep.equal(["alice", "bob"]);
    });

    for (const persist of ["session", "local"] as const) {
      it(`keeps a sign-in whose session replaces the previous one, with persist ${persist}`, async () => {
        const successes = recordEvents(document, "oidc-success");
        const element = await fixture<OidcCallbackElement>(
          html`<oidc-callback manual persist=${persist}></oidc-callback>`,
        );
        await element.complete(await responseUrl(servers));
        const first = element.session;
        await element.complete(await responseUrl(servers));
        await waitFor(() => first?.state === "signed-out");
        await untilQuiet();
        expect(element.state).to.equal("success");
        expect(element.session?.state).to.equal("signed-in");
        expect(successes).to.have.length(2);
        await element.session?.signOut();
      });
    }

    it("is idle once its session has ended, and reports the next sign-in", async () => {
      const successes = recordEvents(document, "oidc-success");
      const element = await fixture<OidcCallbackElement>(
        html`<oidc-callback manual persist="session"></oidc-callback>`,
      );
      await element.complete(await responseUrl(servers));
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
      await element.complete(await responseUrl(servers));
      expect(element.state).to.equal("success");
      await waitFor(() => successes.length === 2);
      await element.session?.signOut();
    });

    it("reports the outcome before the page's load event", async () => {
      const element = await manual();
      const url = await responseUrl(servers, { error: "access_denied" });
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
      await element.complete(await responseUrl(servers));
      expect(element.state).to.equal("success");
      await element.complete(`${location.origin}/elsewhere`);
      expect(element.error?.code).to.equal("flow_unknown");
      expect(element.result).to.equal(undefined);
    });

    it("navigates to the sign-in's return-to when its own is empty", async () => {
      const element = await manual();
      element.returnTo = "";
      const appState = { returnTo: `${href}#began` };
      const success = nextEvent(element, "oidc-success");
      // The events that hash routers listen to.
      const followed = recordEvents(window, "popstate", "hashchange");
      await element.complete(await responseUrl(servers, undefined, { appState }));
      expect((await success).detail.returnTo).to.equal(`${href}#began`);
      await waitFor(() => followed.length === 2);
      expect(location.hash).to.equal("#began");
    });

    it("reports its return URL when oidc-success is prevented, and stays", async () => {
      const element = await manual();
      element.returnTo = "#/account?tab=1";
      element.addEventListener("oidc-success", (event) => event.preventDefault());
      const success = nextEvent(element, "oidc-success");
      await element.complete(await responseUrl(servers));
      const { detail } = await success;
      expect(detail.returnTo).to.equal(new URL("#/account?tab=1", document.baseURI).href);
      expect(element.result).not.to.have.property("returnTo");
      await untilQuiet();
      expect(location.href).to.equal(href);
    });
  });

  describe("in a popup", () => {
    let states = 0;
    /** Opens the callback page. @param acknowledges Whether its opener takes the response immediately. */
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
      const clock = new Clock();
      const response = new URLSearchParams({ state, code: "the-code" }).toString();
      return { element: await open(`${href}#${response}`), send, clock };
    };

    it("reports flow_unknown in a popup when its opener does not acknowledge the response", async () => {
      const { element, clock } = await opened(false);
      // The opener has this long to reply.
      await waitFor(() => clock.pending.includes(10_000));
      await clock.pass(10_000);
      await inState(element, "error");
      expect(element.error?.code).to.equal("flow_unknown");
    });

    for (const [outcome, state, text] of [
      ["success", "success", "You’re signed in."],
      ["cancelled", "error", "Sign-in was cancelled."],
    ] as const) {
      it(`is pending in a popup until its opener reports ${outcome}`, async () => {
        const { element, send, clock } = await opened(true);
        // The opener waits for a slow provider's tokens and keys, and for the homeserver.
        await clock.pass(110_000);
        expect(element.state).to.equal("pending");
        send({ outcome });
        await inState(element, state);
        expect(textIn(element)).to.contain(text);
      });
    }
  });

  describe("from single sign-on", () => {
    /** The URL that the homeserver redirects the browser to. */
    const ssoUrl = (appState: Record<string, string> = {}): string =>
      servers.approve(
        startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: href, appState }).url,
      );

    it("completes it, reports only matrix-login-success, and keeps the session with persist", async () => {
      const events = recordEvents(document, "oidc-success", "matrix-login-success");
      const success = nextEvent(document, "matrix-login-success");
      const element = await open(ssoUrl(), html`<oidc-callback persist="session"></oidc-callback>`);
      expect(location.href).to.equal(href);
      expect((await success).detail).to.include({ method: "sso", userId: "@alice:hs.example" });
      expect(events).to.deep.equal(["matrix-login-success"]);
      expect([element.state, element.session?.kind]).to.deep.equal(["success", "legacy"]);
      expect(hasSession({ store: "sessionStorage" })).to.be.true;
      expect(logOf(servers)[0]).to.equal(`POST ${HOMESERVER}/_matrix/client/v3/login`);
      await element.session?.signOut();
    });

    for (const [what, sessionKey, key] of [
      ["its own, before that of the page that started the login", "own", "own"],
      ["that of the page that started the login", undefined, "started"],
    ] as const) {
      it(`keeps the session under the key that is ${what}`, async () => {
        const element = await open(
          ssoUrl({ sessionKey: "started" }),
          html`<oidc-callback persist="session" .sessionKey=${sessionKey}></oidc-callback>`,
        );
        await inState(element, "success");
        expect(element.session?.key).to.equal(key);
        await element.session?.signOut();
      });
    }

    it("has a session in memory, and none in the store, without persist", async () => {
      const element = await open(ssoUrl());
      await inState(element, "success");
      expect(await element.session?.accessToken()).to.match(/^access-token/);
      expect(hasSession({ store: "sessionStorage" })).to.be.false;
    });

    it("links to the page that started the sign-in after an error", async () => {
      servers.refuse("POST /login", 403, { errcode: "M_FORBIDDEN" });
      const startUrl = `${location.origin}/where-it-began`;
      const element = await open(ssoUrl({ startUrl }));
      await inState(element, "error");
      expect(startAgain(element).href).to.equal(startUrl);
    });

    it("reports matrix-login-error if the login token is rejected, with a link to start again", async () => {
      servers.refuse("POST /login", 403, { errcode: "M_FORBIDDEN" });
      const error = nextEvent(document, "matrix-login-error");
      const element = await open(ssoUrl());
      expect((await error).detail).to.include({ method: "sso", code: "login_token_refused" });
      expect(textIn(element)).to.contain("no longer valid");
      expect(startAgain(element)).not.to.be.null;
    });

    it("shows that the account is deactivated, even on a page without <matrix-login>", async () => {
      servers.refuse("POST /login", 403, { errcode: "M_USER_DEACTIVATED" });
      const element = await open(ssoUrl());
      await inState(element, "error");
      expect(textIn(element)).to.contain("This account has been deactivated.");
    });

    it("offers a retry after a temporary failure, which succeeds", async () => {
      servers.disconnect("POST /login");
      const element = await open(ssoUrl());
      await inState(element, "error");
      part(element, "retry").click();
      await inState(element, "success");
    });

    it("uses no login token if persist is invalid, because the user would get an unused device", async () => {
      const element = await open(ssoUrl(), html`<oidc-callback persist="forever"></oidc-callback>`);
      await inState(element, "error");
      expect(element.error).to.have.property("code", "settings_invalid");
      expect(logOf(servers)).to.deep.equal([]);
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

    it("doesn't report a user who signs out in another tab before the homeserver has confirmed the user", async () => {
      const { asked, release } = hold(servers, "GET /account/whoami");
      const events = recordEvents(document, "oidc-success", "matrix-login-success");
      const element = await persisting("local");
      await asked;
      const session = await restoreSession({ store: "localStorage" });
      await session?.signOut();
      release();
      await untilQuiet();
      expect([element.state, events]).to.deep.equal(["idle", ["oidc-success"]]);
    });

    describe("in an element that is removed before the homeserver has confirmed the user", () => {
      /** @returns The removed element, a function that lets the homeserver respond, and the clock. */
      const removed = async (onTokens: (event: Event) => void = () => undefined) => {
        const { asked, release } = hold(servers, "GET /account/whoami");
        document.addEventListener("oidc-success", onTokens, { once: true });
        const element = await persisting("session");
        await asked;
        element.remove();
        return { element, release, clock: new Clock() };
      };
      const next = () =>
        fixture<OidcCallbackElement>(html`<oidc-callback persist="session"></oidc-callback>`);

      for (const isLate of [false, true]) {
        it(`reports it once, from the next element that is added ${isLate ? "after" : "before"} the response`, async () => {
          const { element, release } = await removed();
          const old = recordEvents(element, "matrix-login-success");
          const events = recordEvents(document, "oidc-success", "matrix-login-success");
          const success = nextEvent(document, "matrix-login-success");
          if (isLate) {
            release();
            await until(() => element.session?.user.userId);
            await next();
          } else {
            await next();
            release();
          }
          const { session, userId } = (await success).detail;
          expect(userId).to.equal("@alice:hs.example");
          await untilQuiet();
          expect([events, old]).to.deep.equal([["matrix-login-success"], []]);
          session.close();
        });
      }

      it("reports it from the element itself if that is added again", async () => {
        const { element, release } = await removed();
        const events = recordEvents(document, "matrix-login-success");
        release();
        await until(() => element.session?.user.userId);
        document.body.append(element);
        await waitFor(() => events.length > 0);
        await untilQuiet();
        expect(events).to.have.length(1);
        element.session?.close();
        element.remove();
      });

      it("reports it to the element's own listeners if no other element is added, but not to later elements", async () => {
        const { element, release, clock } = await removed();
        const success = nextEvent(element, "matrix-login-success");
        release();
        expect((await clock.passUntil(success)).detail.userId).to.equal("@alice:hs.example");
        const events = recordEvents(document, "matrix-login-success");
        await inState(await next(), "success");
        await untilQuiet();
        expect(events).to.deep.equal([]);
        element.session?.close();
      });

      it("stays on the page if the first element's oidc-success was cancelled", async () => {
        const { release } = await removed((event) => event.preventDefault());
        const success = nextEvent(document, "matrix-login-success");
        const element = await fixture<OidcCallbackElement>(
          html`<oidc-callback persist="session" return-to="#left"></oidc-callback>`,
        );
        release();
        const { session } = (await success).detail;
        await untilQuiet();
        expect(location.hash).to.equal("");
        expect(element.state).to.equal("success");
        session.close();
      });
    });

    const KEY = "matrix-auth-elements:session";
    const kept = (): readonly string[] =>
      [sessionStorage, localStorage].flatMap((storage) => storage.getItem(KEY) ?? []);
    const persisting = async (persist: string | undefined, url?: string) =>
      open(
        url ?? (await responseUrl(servers)),
        html`<oidc-callback .persist=${persist as SessionPersistence}></oidc-callback>`,
      );

    beforeEach(() => localStorage.removeItem(KEY));
    afterEach(() => localStorage.removeItem(KEY));

    for (const [persist, store] of [
      ["session", "sessionStorage"],
      ["local", "localStorage"],
      ["indexeddb", "indexedDB"],
    ] as const) {
      it(`keeps a session in ${store} before oidc-success with persist=${persist}`, async () => {
        const success = nextEvent(document, "oidc-success");
        const restored = success.then(() => OidcSession.restore({ store }));
        const url = await responseUrl(servers, {}, { deviceId: "DEVICE0001" });
        const element = await persisting(persist, url);
        const other = await restored;
        expect(await other?.accessToken()).to.equal(ACCESS_TOKEN);
        expect(other?.user.deviceId).to.equal("DEVICE0001");
        expect(other?.oidcClientSettings.clientId).to.equal("registered");
        expect(other?.scope).to.equal(generateScope("DEVICE0001"));
        expect(await listSessions({ store })).to.have.length(1);
        expect(await element.session?.accessToken()).to.equal(ACCESS_TOKEN);
        element.session?.close();
        other?.close();
      });
    }

    it("has a client that uses the refreshed tokens", async () => {
      const element = await persisting("local");
      await inState(element, "success");
      await element.session?.refresh();
      await element.client?.whoami();
      const { url, headers } = servers.requests.at(-1) as TestServers["requests"][number];
      expect(url).to.equal(`${HOMESERVER}/_matrix/client/v3/account/whoami`);
      expect(headers.get("Authorization")).to.equal("Bearer access-token-4");
      element.session?.close();
    });

    for (const persist of [undefined, "", "none"]) {
      it(`stores no session with persist ${persist ?? "unset"}`, async () => {
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
      expect(logOf(servers)).to.deep.equal([]);
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
      expect(logOf(servers).filter((line) => line === TOKEN)).to.have.length(1);
      expect(kept()).to.have.length(1);
      element.session?.close();
    });

    it("keeps the session of a sign-in with an issuer and no homeserver", async () => {
      const url = await responseUrl(servers, undefined, { homeserverUrl: "" });
      const element = await persisting("session", url);
      await inState(element, "success");
      const other = await OidcSession.restore({ store: "sessionStorage" });
      expect(await other?.accessToken()).to.equal(ACCESS_TOKEN);
      expect(other?.homeserverUrl).to.equal("");
      element.session?.close();
      other?.close();
    });
  });
});
