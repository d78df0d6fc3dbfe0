// Rule 8: what is opened has no opener, unless the protocol needs its message; and a page in a frame cannot reach the page around it.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { AuthType, type UiaFallbackFrameElement } from "matrix-auth-elements";
import { restoreStubs, stub, untilRestored } from "../support/stub.js";
import { part } from "../elements/support/element.js";
import { waitFor } from "../elements/support/wait-for.js";

const HOMESERVER = "https://hs.example";
const { OAuth, CrossSigningReset, Terms, Sso, Recaptcha } = AuthType;
const HERE = `${location.origin}/test/elements/support/page.html`;

describe("Rule 8: a page that <uia-fallback-frame> opens", () => {
  let element: UiaFallbackFrameElement;
  /** The windows, with the pages that they were sent to. */
  let windows: { readonly window: Window; readonly urls: string[]; hadOpener: boolean[] }[];

  beforeEach(() => {
    windows = [];
    stub(window, "open", {
      value: (url: string, _name: string, features = "") => {
        const frame = document.createElement("iframe");
        document.body.append(frame);
        untilRestored(() => frame.remove());
        let opener: unknown = /noopener/.test(features) ? null : window;
        const urls: string[] = [];
        const hadOpener: boolean[] = [];
        const go = (to: string): void => {
          urls.push(to);
          hadOpener.push(opener !== null);
        };
        const opened = Object.defineProperties({} as Window, {
          closed: { value: false },
          close: { value: () => undefined },
          opener: { get: () => opener, set: (value) => (opener = value) },
          location: { value: { replace: go, href: "about:blank" } },
        });
        windows.push({ window: opened, urls, hadOpener });
        if (url) go(url);
        return opener === null ? null : opened;
      },
    });
  });
  afterEach(restoreStubs);

  const make = async (properties: object): Promise<void> => {
    element = await fixture<UiaFallbackFrameElement>(
      html`<uia-fallback-frame></uia-fallback-frame>`,
    );
    Object.assign(element, { homeserver: HOMESERVER, session: "s", ...properties });
    await waitFor(() => element.shadowRoot?.childElementCount);
    await element.updateComplete;
  };
  const openers = (): boolean[] => windows.flatMap(({ hadOpener }) => hadOpener);
  const frame = (): HTMLIFrameElement | null | undefined =>
    element.shadowRoot?.querySelector<HTMLIFrameElement>("iframe");

  for (const [stage, url, needsMessage] of [
    [OAuth, "https://account.example/approve", false],
    [CrossSigningReset, "https://account.example/approve", false],
    [OAuth, HERE, false],
    [Terms, undefined, true],
    [Sso, undefined, true],
    [Recaptcha, `${HOMESERVER}/captcha`, true],
  ] as const) {
    describe(`for ${stage} at ${url ?? "the homeserver"}`, () => {
      it(`has ${needsMessage ? "an" : "no"} opener`, async () => {
        await make({ stage, url });
        part(element, "open").click();
        expect(openers()).to.deep.equal([needsMessage]);
        expect(element.state).to.equal("open");
        expect(windows[0]?.urls[0]).to.contain(url ?? HOMESERVER);
      });

      it(`has ${needsMessage ? "an" : "no"} opener through the link, if the browser blocks popups`, async () => {
        stub(window, "open", { value: () => null });
        await make({ stage, url });
        part(element, "open").click();
        await element.updateComplete;
        const { rel } = part<HTMLAnchorElement>(element, "link");
        expect(rel.split(" ").includes("opener")).to.equal(needsMessage);
        expect(rel.split(" ").includes("noopener")).to.equal(!needsMessage);
      });
    });
  }

  it("opens only once on a double click", async () => {
    await make({ stage: Terms });
    for (const detail of [1, 2]) {
      part(element, "open").dispatchEvent(new MouseEvent("click", { detail, bubbles: true }));
      await element.updateComplete;
    }
    expect(windows).to.have.length(1);
  });

  describe("in a frame", () => {
    /** A page that reports what it can reach, as a homeserver on the page's own origin can serve. */
    const reachingPage = (): string =>
      `${location.origin}/test/attacks/support/reaching-page.html?${Math.random()}`;

    /** What the page in the frame says. */
    const said = async (url: string, stage: string = Terms): Promise<unknown> => {
      const saying = new Promise((resolve) => {
        const listen = ({ data }: MessageEvent<unknown>): void => {
          if (typeof data !== "string" || !data.startsWith("reach:")) return;
          window.removeEventListener("message", listen);
          resolve(data);
        };
        window.addEventListener("message", listen);
      });
      await make({ stage, url, mode: "frame" });
      await waitFor(frame);
      return saying;
    };

    it("can't access this page, although it has the same origin", async () => {
      expect(await said(reachingPage())).to.equal("reach: nothing");
    });

    it("shows the page of another origin, which can run its scripts and send its forms, but not access this page after a redirect", async () => {
      await make({ stage: Terms, mode: "frame" });
      expect(frame()?.src).to.contain(`${HOMESERVER}/`);
      const allowed = [...(frame()?.sandbox ?? [])];
      expect(allowed).to.include.members(["allow-scripts", "allow-forms"]);
      expect(allowed).not.to.include("allow-same-origin");
    });

    for (const stage of [OAuth, CrossSigningReset]) {
      it(`shows no page for ${stage}, because the user must see its address`, async () => {
        await make({ stage, url: "https://account.example/approve", mode: "frame" });
        expect(frame()).to.equal(null);
        expect(part(element, "host").innerText).to.equal("Opens account.example");
        part(element, "open").click();
        expect(openers()).to.deep.equal([false]);
      });
    }

    for (const url of [
      "javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      `blob:${location.origin}/0`,
      "about:srcdoc",
      "filesystem:https://hs.example/x",
    ]) {
      it(`shows nothing for ${url}`, async () => {
        await make({ stage: Terms, url, mode: "frame" });
        expect(frame()).to.equal(null);
      });
    }
  });
});
