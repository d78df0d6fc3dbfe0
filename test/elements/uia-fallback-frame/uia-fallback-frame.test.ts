import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  AuthType,
  UiaFallbackFrameElement,
  provideAuthClient,
  type UiaFallbackOpenEvent,
} from "matrix-auth-elements";
import { Clock } from "../../support/clock.js";
import { restoreStubs, stub } from "../../support/stub.js";
import { closePopup, part, recordEvents } from "../support/element.js";
import { HOMESERVER } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

const EVENTS = ["open", "done", "close", "blocked"].map((name) => `uia-fallback-${name}`);
const ACCOUNT = "https://account.example";
const PATH = "_matrix/client/v3/auth";

describe("<uia-fallback-frame>", () => {
  let element: UiaFallbackFrameElement;
  let popup: Window;
  let popupClosed: boolean;
  let popups: string[][];
  let events: readonly string[];

  beforeEach(() => {
    popups = [];
    popupClosed = false;
    stub(window, "open", {
      value: (...opening: string[]) => {
        popups.push(opening);
        // Browsers accept only a window as a message's source.
        const frame = document.createElement("iframe");
        document.body.append(frame);
        popup = frame.contentWindow as Window;
        Object.defineProperty(popup, "closed", { get: () => popupClosed });
        Object.defineProperty(popup, "close", { value: () => (popupClosed = true) });
        return popup;
      },
    });
  });
  afterEach(restoreStubs);

  const send = (data: unknown, origin = HOMESERVER, source = popup): void =>
    void window.dispatchEvent(new MessageEvent("message", { data, origin, source }));

  const TERMS = { stage: AuthType.Terms, session: "a/b c", homeserver: HOMESERVER };
  const make = async (
    properties: object = TERMS,
    template = html`<uia-fallback-frame></uia-fallback-frame>`,
  ): Promise<void> => {
    const made = await fixture<HTMLElement>(template);
    element = made.querySelector("uia-fallback-frame") ?? (made as UiaFallbackFrameElement);
    await set(properties);
    await waitFor(() => element.shadowRoot?.childElementCount);
    events = recordEvents(element, ...EVENTS);
  };
  const set = async (properties: object): Promise<void> => {
    Object.assign(element, properties);
    await element.updateComplete;
  };
  const has = (name: string): boolean =>
    element.shadowRoot?.querySelector(`[part=${name}]`) !== null;
  const press = async (name: string): Promise<void> => {
    part(element, name).click();
    await element.updateComplete;
  };
  const open = async (properties?: object): Promise<void> => {
    await make(properties);
    await press("open");
  };
  const text = (): string => part(element, "text").innerText.trim();

  it("opens the page once after its code has loaded, if open() is called before", async () => {
    const place = await fixture(html`<div></div>`);
    element = Object.assign(document.createElement("uia-fallback-frame"), TERMS);
    events = recordEvents(element, ...EVENTS);
    place.append(element);
    element.open();
    element.open();
    await waitFor(() => popups.length > 0);
    await untilQuiet();
    expect(events).to.deep.equal(["uia-fallback-open"]);
    element.open();
    expect(events, "at once").to.have.length(2);
  });

  it("opens nothing if it is removed before its code is loaded, or was never on the page", async () => {
    const place = await fixture(html`<div></div>`);
    const elements = [0, 1].map(() =>
      Object.assign(document.createElement("uia-fallback-frame"), TERMS),
    );
    place.append(elements[0] as Element);
    for (const each of elements) each.open();
    elements[0]?.remove();
    await make();
    await untilQuiet();
    expect(popups).to.deep.equal([]);
  });

  it("opens the homeserver's page, with an opener, when it is clicked, and not before", async () => {
    await make();
    expect(popups).to.deep.equal([]);
    await press("open");
    const [url, , features] = popups[0] ?? [];
    expect(url).to.equal(`${HOMESERVER}/${PATH}/m.login.terms/fallback/web?session=a%2Fb+c`);
    expect(features).not.to.contain("noopener");
    expect(element.matches(":state(open)")).to.be.true;
    expect(events).to.deep.equal(["uia-fallback-open"]);
  });

  for (const mode of ["popup", "frame"] as const) {
    it(`opens nothing until its session is known, in mode ${mode}`, async () => {
      await make({ ...TERMS, session: undefined, mode });
      await press("open");
      element.open();
      expect(popups).to.deep.equal([]);
      expect(has("frame")).to.be.false;
      Object.assign(element, { session: TERMS.session, mode: "popup" });
      await element.updateComplete;
      await press("open");
      expect(popups).to.have.length(1);
    });
  }

  const S = { stage: "s", session: "1" };
  const getFallbackAuthUrl = (stage: string, session: string): string =>
    `${HOMESERVER}/${stage}/${session}`;
  for (const [what, properties, url] of [
    ["of its client", { ...S, client: { getFallbackAuthUrl } }, `${HOMESERVER}/s/1`],
    [
      "of a client that has only baseUrl",
      { ...S, client: { baseUrl: `${HOMESERVER}/` } },
      `${HOMESERVER}/${PATH}/s/fallback/web?session=1`,
    ],
    ...[" https:/HS.EXAMPLE:443/\n", "hs.example"].map(
      (homeserver) =>
        [
          `of the homeserver ${JSON.stringify(homeserver)}`,
          { ...S, homeserver },
          `${HOMESERVER}/${PATH}/s/fallback/web?session=1`,
        ] as const,
    ),
    ["that is set as url", { ...S, url: `${ACCOUNT}/` }, `${ACCOUNT}/`],
    ["when allowedOrigins is not a list", { ...S, url: ACCOUNT, allowedOrigins: 7 }, ACCOUNT],
  ] as const) {
    it(`opens the page ${what}`, async () => {
      await open(properties);
      expect(popups[0]?.[0]?.replace(/\/$/, "")).to.equal(url.replace(/\/$/, ""));
    });
  }

  it("opens the page of the context's client, until it moves away from it", async () => {
    const template = html`<div><uia-fallback-frame></uia-fallback-frame></div>`;
    await make(S, template);
    provideAuthClient(element.parentElement as HTMLElement, { getFallbackAuthUrl });
    await waitFor(() => has("open"));
    await press("open");
    expect(popups[0]?.[0]).to.equal(`${HOMESERVER}/s/1`);
    document.body.append(element);
    await waitFor(() => !has("open"));
    element.remove();
  });

  for (const [what, properties] of Object.entries({
    "there is neither homeserver nor client": S,
    "the client's URL is a script": {
      ...S,
      client: { getFallbackAuthUrl: () => "javascript:alert(1)" },
    },
    "the client has no URL": {
      ...S,
      client: {
        getFallbackAuthUrl() {
          throw new TypeError("baseUrl is not an HTTPS URL");
        },
      },
    },
    ...Object.fromEntries(
      ["javascript:alert(1)", "data:text/html,x", "no URL", ""].map((url) => [
        `url is ${JSON.stringify(url)}`,
        { ...S, url },
      ]),
    ),
    ...Object.fromEntries(
      [7, {}, ["x"], true].map((homeserver) => [
        `homeserver is ${JSON.stringify(homeserver)}`,
        { ...TERMS, homeserver },
      ]),
    ),
    ...Object.fromEntries(
      ["..", ".", "\uD800"].map((stage) => [
        `stage is ${JSON.stringify(stage)}, which can't be in a path`,
        { ...TERMS, stage },
      ]),
    ),
    "every property is null": {
      ...{ stage: null, session: null, mode: null, allowedOrigins: null },
      homeserver: HOMESERVER,
    },
  })) {
    it(`shows that the page is missing when ${what}`, async () => {
      await make(properties);
      expect(has("open")).to.be.false;
      expect(text()).to.contain("The homeserver isn’t configured correctly.");
    });
  }

  it("uses the default when an attribute is removed", async () => {
    await make();
    element.setAttribute("url", ACCOUNT);
    await element.updateComplete;
    element.removeAttribute("url");
    await element.updateComplete;
    await press("open");
    expect(popups[0]?.[0]).to.contain("/fallback/web");
  });

  it("opens nothing when uia-fallback-open is prevented, but shows the button to finish", async () => {
    await make();
    let detail: UiaFallbackOpenEvent["detail"] | undefined;
    element.addEventListener("uia-fallback-open", (event) => {
      ({ detail } = event);
      event.preventDefault();
    });
    await press("open");
    expect(popups).to.deep.equal([]);
    expect(detail).to.include({ stage: "m.login.terms", session: "a/b c" });
    expect(element.state).to.equal("open");
    expect(has("finished")).to.be.true;
  });

  describe("a message", () => {
    it("is done only once when its popup sends authDone twice from the page's origin", async () => {
      await open();
      send("authDone");
      send("authDone");
      expect(events).to.deep.equal(["uia-fallback-open", "uia-fallback-done"]);
      expect(element.state).to.equal("done");
      expect(popupClosed).to.be.true;
    });

    it("ignores messages from other origins and windows, and other messages", async () => {
      await open();
      send("authDone", "https://evil.example");
      send("authDone", HOMESERVER, window);
      send("authdone");
      send({ type: "authDone" });
      expect(element.state).to.equal("open");
      expect(events).to.deep.equal(["uia-fallback-open"]);
    });

    for (const url of [ACCOUNT, `${ACCOUNT}/login`]) {
      it(`is done when authDone comes from the allowed origin ${url}`, async () => {
        await open({ ...TERMS, allowedOrigins: [url] });
        send("authDone", ACCOUNT);
        expect(element.state).to.equal("done");
      });
    }

    for (const [what, act] of [
      ["it has been removed", () => element.remove()],
      ["its stage has changed, which makes it idle", () => set({ stage: AuthType.Sso })],
      ["its session has changed", () => set({ session: "other" })],
    ] as const) {
      it(`ignores messages when ${what}, also in the same task`, async () => {
        await open();
        const done = act();
        send("authDone");
        await done;
        send("authDone");
        expect(element.state).not.to.equal("done");
        expect(element.isConnected && element.state).to.be.oneOf([false, "idle"]);
        expect(events).to.deep.equal(["uia-fallback-open"]);
      });
    }

    it("ignores messages of a homeserver that is set after the page was opened", async () => {
      await open({ ...TERMS, url: ACCOUNT });
      await set({ homeserver: "https://evil.example" });
      send("authDone", "https://evil.example");
      expect(element.state).to.equal("open");
      send("authDone");
      expect(element.state).to.equal("done");
    });
  });

  describe("without a message", () => {
    it("opens the page again, or finishes, when the user chooses so", async () => {
      await open();
      expect(text()).to.contain("open in another window");
      await press("open");
      expect(popups).to.have.length(2);
      await press("finished");
      expect(events.at(-1)).to.equal("uia-fallback-done");
    });

    it("is not done when a double click opens the page", async () => {
      await make();
      await press("open");
      // The second click of a double click may hit the button.
      part(element, "finished").dispatchEvent(new MouseEvent("click", { detail: 2 }));
      expect(events).to.deep.equal(["uia-fallback-open"]);
      // The keyboard, or a single click, does press it.
      part(element, "finished").dispatchEvent(new MouseEvent("click", { detail: 0 }));
      expect(events.at(-1)).to.equal("uia-fallback-done");
    });

    it("doesn't report a popup as closed if it looks closed right after it opened", async () => {
      popupClosed = true;
      const clock = new Clock();
      await open();
      await clock.pass(700);
      expect(events).to.deep.equal(["uia-fallback-open"]);
      expect(text()).to.contain("open in another window");
    });

    it("reports uia-fallback-close when the popup is closed", async () => {
      await open();
      await closePopup(popup);
      await waitFor(() => events.includes("uia-fallback-close"));
      await element.updateComplete;
      expect(text()).to.contain("The window was closed");
      expect(element.state).to.equal("open");
    });

    it("shows a link when the browser blocks the popup", async () => {
      stub(window, "open", { value: () => null });
      await open();
      expect(element.state).to.equal("blocked");
      expect(events).to.deep.equal(["uia-fallback-open", "uia-fallback-blocked"]);
      const { href, rel } = part<HTMLAnchorElement>(element, "link");
      expect(href).to.contain("/fallback/web");
      expect(rel).to.equal("opener");
      expect([has("finished"), has("open")]).to.deep.equal([true, false]);
    });

    it("is open once the link has been used, and then offers to open the page again", async () => {
      stub(window, "open", { value: () => null });
      await open();
      const link = part<HTMLAnchorElement>(element, "link");
      link.addEventListener("click", (event) => event.preventDefault());
      link.click();
      await waitFor(() => element.state === "open", "not open");
      await element.updateComplete;
      expect(text()).to.contain("open in another window");
      expect([has("link"), has("finished"), has("open")]).to.deep.equal([false, true, true]);
      expect(element.shadowRoot?.activeElement === part(element, "finished")).to.be.true;
    });
  });

  for (const [who, report] of [
    ["the page", () => send("authDone")],
    ["the user", () => press("finished")],
  ] as const) {
    it(`shows that ${who} has reported it as finished, and offers to open it again`, async () => {
      await open();
      await report();
      await element.updateComplete;
      expect(text()).to.equal("Finished. Continue on this page.");
      // A second click would report it again.
      expect([has("open"), has("finished")]).to.deep.equal([true, false]);
      expect(element.shadowRoot?.activeElement === part(element, "text")).to.be.true;
      await press("open");
      expect(has("finished")).to.be.true;
      expect(text()).to.contain("open in another window");
    });
  }

  it("shows the page's host as text that doesn't look like a link", async () => {
    await make();
    const host = part(element, "host");
    expect(host.innerText).to.equal("Opens hs.example");
    expect(getComputedStyle(host, "::after").content).to.equal("none");
  });

  it("shows a frame and a button for a popup with mode=frame", async () => {
    await make({ stage: "s", mode: "frame", url: "about:blank#no" });
    expect(has("frame")).to.be.false;
    await set({ url: `${location.origin}/test/elements/support/page.html` });
    const { title, sandbox } = part<HTMLIFrameElement>(element, "frame");
    expect(title).not.to.equal("");
    expect(sandbox.contains("allow-top-navigation")).to.be.false;
    expect(has("finished")).to.be.true;
    await waitFor(() => element.state === "open");
    await press("open");
    expect(popups).to.have.length(1);
  });

  for (const [where, template, isAbove] of [
    ["next to each other on its own", html`<uia-fallback-frame></uia-fallback-frame>`, false],
    [
      "in two lines, if the page has others",
      html`<uia-fallback-frame><button slot="actions">Cancel</button></uia-fallback-frame>`,
      true,
    ],
  ] as const) {
    it(`has its buttons ${where}`, async () => {
      await make(TERMS, template);
      await press("open");
      const [open, finished] = ["open", "finished"].map((name) =>
        part(element, name).getBoundingClientRect(),
      );
      expect(open?.left).to.equal(part(element, "actions").getBoundingClientRect().left);
      expect((open?.bottom ?? NaN) <= (finished?.top ?? NaN)).to.equal(isAbove);
    });
  }

  it("shows the library's label or the page's", async () => {
    await make(TERMS, html`<uia-fallback-frame> </uia-fallback-frame>`);
    expect(part(element, "open").innerText).to.equal("Open page");
    element.textContent = "To the captcha";
    await aTimeout(0);
    await element.updateComplete;
    expect(part(element, "open").innerText).to.equal("");
  });
});
