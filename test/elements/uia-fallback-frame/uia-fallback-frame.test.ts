import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  AuthType,
  UiaFallbackFrameElement,
  provideAuthClient,
  type UiaFallbackOpenEvent,
} from "matrix-auth-elements";
import { timeForMore, waitFor } from "../support/wait-for.js";

const HOMESERVER = "https://hs.example";
const EVENTS = ["open", "done", "close", "blocked"].map((name) => `uia-fallback-${name}`);

describe("<uia-fallback-frame>", () => {
  let element: UiaFallbackFrameElement;
  let popup: { closed: boolean; close: () => void };
  let popups: (string | undefined)[][];
  let heard: string[];
  const { open } = window;

  beforeEach(() => {
    popups = [];
    heard = [];
    popup = {
      closed: false,
      close(): void {
        this.closed = true;
      },
    };
    window.open = (...asked): Window => {
      popups.push(asked as string[]);
      return windowOf(popup);
    };
  });
  afterEach(() => {
    window.open = open;
  });

  // A message comes from a window, and the browser takes no other object for one.
  const windows = new WeakMap<object, Window>();
  const windowOf = (fake: typeof popup): Window => {
    const real = document.createElement("iframe");
    document.body.append(real);
    const inner = real.contentWindow;
    if (!inner) throw new Error("no window");
    Object.defineProperty(inner, "closed", { get: () => fake.closed });
    Object.defineProperty(inner, "close", { value: () => fake.close() });
    windows.set(fake, inner);
    return inner;
  };
  const say = (data: unknown, origin = HOMESERVER, source = windows.get(popup) ?? null): void =>
    void window.dispatchEvent(new MessageEvent("message", { data, origin, source }));

  const make = async (
    template = html`<uia-fallback-frame
      stage="m.login.terms"
      session="a/b c"
      homeserver=${HOMESERVER}
    ></uia-fallback-frame>`,
  ): Promise<UiaFallbackFrameElement> => {
    element = await fixture<UiaFallbackFrameElement>(template);
    await waitFor(() => element.shadowRoot?.childElementCount);
    for (const type of EVENTS) element.addEventListener(type, () => heard.push(type));
    return element;
  };
  const part = (name: string): HTMLElement | null | undefined =>
    element.shadowRoot?.querySelector<HTMLElement>(`[part=${name}]`);
  const press = async (name: string): Promise<void> => {
    part(name)?.click();
    await element.updateComplete;
  };
  const text = (): string => part("text")?.innerText.trim() ?? "";

  it("opens the homeserver's page, with an opener, when it is clicked, and not before", async () => {
    await make();
    expect(popups).to.deep.equal([]);
    await press("open");
    const [url, , features] = popups[0] ?? [];
    expect(url).to.equal(
      `${HOMESERVER}/_matrix/client/v3/auth/m.login.terms/fallback/web?session=a%2Fb+c`,
    );
    expect(features).not.to.contain("noopener");
    expect(element.state).to.equal("open");
    expect(element.matches(":state(open)")).to.be.true;
    expect(heard).to.deep.equal(["uia-fallback-open"]);
  });

  it("takes the page's URL from its client, or from the context's", async () => {
    await make(html`<uia-fallback-frame stage="s" session="1"></uia-fallback-frame>`);
    expect(text()).to.contain("has no page for this step");
    element.client = {
      getFallbackAuthUrl: (stage, session) => `${HOMESERVER}/${stage}/${session}`,
    };
    await element.updateComplete;
    await press("open");
    expect(popups[0]?.[0]).to.equal(`${HOMESERVER}/s/1`);
    const place = await fixture<HTMLElement>(html`
      <div><uia-fallback-frame stage="s" session="2"></uia-fallback-frame></div>
    `);
    provideAuthClient(place, {
      getFallbackAuthUrl: (stage, session) => `${HOMESERVER}/${stage}${session}`,
    });
    element = place.querySelector("uia-fallback-frame") as UiaFallbackFrameElement;
    await waitFor(() => part("open"));
    await press("open");
    expect(popups[1]?.[0]).to.equal(`${HOMESERVER}/s2`);
  });

  it("says that there is no page when the client has no web URL", async () => {
    await make(html`<uia-fallback-frame stage="s" session="1"></uia-fallback-frame>`);
    for (const getFallbackAuthUrl of [
      (): string => "javascript:alert(1)",
      (): string => {
        throw new TypeError("baseUrl is not an https URL");
      },
    ]) {
      element.client = { getFallbackAuthUrl };
      await element.updateComplete;
      expect(part("open")).to.equal(null);
      expect(text()).to.contain("has no page for this step");
    }
  });

  it("opens url when it is set, unless that is no web URL", async () => {
    await make(
      html`<uia-fallback-frame stage="s" url="https://account.example/"></uia-fallback-frame>`,
    );
    await press("open");
    expect(popups[0]?.[0]).to.equal("https://account.example/");
    for (const url of ["javascript:alert(1)", "data:text/html,x", "no address", ""]) {
      element.url = url;
      await element.updateComplete;
      expect(part("open"), url).to.equal(null);
    }
  });

  it("opens nothing when uia-fallback-open is prevented", async () => {
    await make();
    let told: UiaFallbackOpenEvent["detail"] | undefined;
    element.addEventListener("uia-fallback-open", (event) => {
      told = event.detail;
      event.preventDefault();
    });
    await press("open");
    expect(popups).to.deep.equal([]);
    expect(told).to.include({ stage: "m.login.terms", session: "a/b c" });
  });

  describe("a message", () => {
    it("is done when its popup sends authDone from the page's origin", async () => {
      await make();
      await press("open");
      say("authDone");
      expect(heard.at(-1)).to.equal("uia-fallback-done");
      expect(element.state).to.equal("done");
      expect(popup.closed).to.be.true;
    });

    it("ignores messages from other origins and windows, and other messages", async () => {
      await make();
      await press("open");
      say("authDone", "https://evil.example");
      say("authDone", HOMESERVER, window);
      say("authdone");
      say({ type: "authDone" });
      expect(element.state).to.equal("open");
      expect(heard).to.deep.equal(["uia-fallback-open"]);
    });

    for (const url of ["https://account.example", "https://account.example/login"]) {
      it(`is done when authDone comes from the allowed origin ${url}`, async () => {
        await make();
        element.allowedOrigins = [url];
        await press("open");
        say("authDone", "https://account.example");
        expect(element.state).to.equal("done");
      });
    }

    it("reports uia-fallback-done once when authDone is sent twice", async () => {
      await make();
      await press("open");
      say("authDone");
      say("authDone");
      expect(heard.filter((type) => type === "uia-fallback-done")).to.have.length(1);
    });

    it("ignores messages when it has been removed", async () => {
      await make();
      await press("open");
      element.remove();
      say("authDone");
      expect(heard).to.deep.equal(["uia-fallback-open"]);
    });
  });

  describe("without a message", () => {
    it("opens the page again, or is done, when the user says so", async () => {
      await make();
      await press("open");
      expect(text()).to.contain("open in another window");
      await press("open");
      expect(popups).to.have.length(2);
      await press("finished");
      expect(heard.at(-1)).to.equal("uia-fallback-done");
    });

    it("does not report a popup as closed that looks closed at once", async () => {
      await make();
      popup.closed = true;
      await press("open");
      await timeForMore(700);
      expect(heard).to.deep.equal(["uia-fallback-open"]);
      expect(text()).to.contain("open in another window");
    });

    it("reports uia-fallback-close when the popup is closed", async () => {
      await make();
      const { now } = performance;
      await press("open");
      performance.now = (): number => now.call(performance) + 60_000;
      popup.closed = true;
      await waitFor(() => heard.includes("uia-fallback-close"));
      performance.now = now;
      await element.updateComplete;
      expect(text()).to.contain("The window was closed");
      expect(element.state).to.equal("open");
    });

    it("shows a link when the browser blocks the popup", async () => {
      await make();
      window.open = (): null => null;
      await press("open");
      expect(element.state).to.equal("blocked");
      expect(heard).to.deep.equal(["uia-fallback-open", "uia-fallback-blocked"]);
      const link = part("link") as HTMLAnchorElement;
      expect(link.href).to.contain("/fallback/web");
      expect(link.rel).to.equal("opener");
      expect(part("finished")).to.exist;
    });
  });

  it("shows a frame and a button for a popup with mode=frame", async () => {
    await make(
      html`<uia-fallback-frame stage="s" mode="frame" url="about:blank#no"></uia-fallback-frame>`,
    );
    expect(part("frame")).to.equal(null);
    element.url = `${location.origin}/test/elements/support/page.html`;
    await element.updateComplete;
    const frame = part("frame") as HTMLIFrameElement;
    expect(frame.title).not.to.equal("");
    expect(frame.sandbox.contains("allow-top-navigation")).to.be.false;
    expect(part("finished")).to.exist;
    await waitFor(() => element.state === "open");
    await press("open");
    expect(popups).to.have.length(1);
  });

  it("is idle when its stage changes", async () => {
    await make();
    await press("open");
    element.stage = AuthType.Sso;
    await element.updateComplete;
    expect(element.state).to.equal("idle");
    say("authDone");
    expect(heard).to.deep.equal(["uia-fallback-open"]);
  });

  it("offers to finish when a listener opens the page", async () => {
    await make();
    element.addEventListener("uia-fallback-open", (event) => event.preventDefault());
    await press("open");
    expect(element.state).to.equal("open");
    expect(part("finished")).to.exist;
  });

  it("finds the page by a client that has only baseUrl", async () => {
    await make(html`<uia-fallback-frame stage="s" session="1"></uia-fallback-frame>`);
    element.client = { baseUrl: `${HOMESERVER}/` };
    await element.updateComplete;
    await press("open");
    expect(popups[0]?.[0]).to.equal(
      `${HOMESERVER}/_matrix/client/v3/auth/s/fallback/web?session=1`,
    );
  });

  it("uses the default when an attribute is removed, and accepts null", async () => {
    await make();
    element.setAttribute("url", "https://account.example/");
    await element.updateComplete;
    element.removeAttribute("url");
    await element.updateComplete;
    await press("open");
    expect(popups[0]?.[0]).to.contain("/fallback/web");
    Object.assign(element, { stage: null, session: null, mode: null, allowedOrigins: null });
    await element.updateComplete;
    expect(text()).to.contain("has no page for this step");
  });

  it("says that there is no page when homeserver is no text", async () => {
    await make();
    for (const homeserver of [7, {}, ["x"], true]) {
      Object.assign(element, { homeserver });
      await element.updateComplete;
      expect(text(), String(homeserver)).to.contain("has no page for this step");
    }
  });

  it("opens the page when allowedOrigins is no list", async () => {
    await make();
    Object.assign(element, { allowedOrigins: 7 });
    await press("open");
    expect(popups).to.have.length(1);
  });

  it("has its own label, or the page's", async () => {
    await make(
      html`<uia-fallback-frame stage="s" url="https://hs.example/"> </uia-fallback-frame>`,
    );
    expect(part("open")?.innerText).to.equal("Open the page");
    element.textContent = "To the captcha";
    await aTimeout(0);
    await element.updateComplete;
    expect(part("open")?.textContent?.trim()).to.equal("");
  });
});
