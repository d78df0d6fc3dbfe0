import { expect, oneEvent } from "@open-wc/testing";
import type { OidcCallbackElement } from "matrix-auth-elements";
import { startSsoLogin } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { inState, loadFrame, part } from "../support/element.js";
import {
  HOMESERVER,
  KEYS,
  TOKEN,
  logOf,
  responseUrl,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";

/** The path of each entry in the package, and in `dist/cdn/`. */
const ENTRIES = {
  "the file for script tags": "/dist/cdn/matrix-auth-elements.js",
  "/define": "/dist/define/index.js",
  "/oidc-callback": "/dist/define/oidc-callback.js",
  "/matrix-login": "/dist/define/matrix-login.js",
  "/capture": "/dist/define/capture.js",
} as const;

const OTHER_ENTRIES = {
  "/oidc-login": "/dist/define/oidc-login.js",
  "/uia-dialog": "/dist/define/uia-dialog.js",
  "the package itself": "/dist/index.js",
} as const;

describe("A response in the page's URL, before anything is on the page", () => {
  let servers: TestServers;
  let frame: HTMLIFrameElement | undefined;
  beforeEach(async () => {
    servers = await useTestServers();
    // Another file's tests may have left data in the tab.
    sessionStorage.clear();
  });
  afterEach(() => {
    frame?.remove();
    frame = undefined;
    restoreStubs();
    sessionStorage.clear();
  });

  const byElement = { appState: { startUrl: location.href } };

  /** Opens a page that loads an entry, by default without elements. @returns The page's window. */
  const open = async (
    entry: string,
    response: string,
    body = "<main></main>",
  ): Promise<Window & typeof globalThis> => {
    const query = new URLSearchParams({ body, entry }).toString();
    frame = await loadFrame({ src: `/test/elements/support/page.html?${query}${response}` });
    return frame.contentWindow as Window & typeof globalThis;
  };
  const fragmentOf = (url: string): string => new URL(url).hash;

  for (const [name, entry] of Object.entries(ENTRIES)) {
    it(`is taken by ${name}, with its sign-in, so that no router reads it`, async () => {
      const page = await open(entry, fragmentOf(await responseUrl(servers, undefined, byElement)));
      expect(page.location.hash).to.equal("");
      expect(new URLSearchParams(page.location.search).get("entry")).to.equal(entry);
      expect(Object.keys(sessionStorage)).to.deep.equal([]);
    });
  }

  for (const [name, entry] of Object.entries(OTHER_ENTRIES)) {
    it(`is ignored by ${name}`, async () => {
      const response = fragmentOf(await responseUrl(servers, undefined, byElement));
      const page = await open(entry, response);
      expect(page.location.hash).to.equal(response);
      expect(sessionStorage.length).to.equal(1);
    });
  }

  it("is completed by an <oidc-callback> that a router renders later", async () => {
    const page = await open(
      ENTRIES["/define"],
      fragmentOf(await responseUrl(servers, undefined, byElement)),
    );
    page.fetch = window.fetch;
    page.location.hash = "#/callback";
    const callback = page.document.createElement("oidc-callback");
    page.document.body.append(callback);
    await inState(callback, "success");
    expect(callback.result?.homeserverUrl).to.equal(HOMESERVER);
    expect(logOf(servers)).to.deep.equal([KEYS, TOKEN]);
    expect(page.location.hash).to.equal("#/callback");
  });

  it("is completed by an element whose code the page loads later", async () => {
    const page = await open(
      ENTRIES["/capture"],
      fragmentOf(await responseUrl(servers, undefined, byElement)),
    );
    page.fetch = window.fetch;
    const script = page.document.createElement("script");
    Object.assign(script, { type: "module", src: ENTRIES["/define"] });
    const loaded = oneEvent(script, "load");
    page.document.head.append(script);
    await loaded;
    const callback = page.document.createElement("oidc-callback");
    page.document.body.append(callback);
    await inState(callback, "success");
    expect(logOf(servers)).to.deep.equal([KEYS, TOKEN]);
  });

  for (const responseMode of ["fragment", "query"] as const) {
    for (const [how, replaceState] of [
      ["throws", () => expect.fail("SecurityError")],
      ["does nothing", () => undefined],
    ] as const) {
      it(`in the ${responseMode} is taken again by the page that is reloaded after two failed imports, even if history.replaceState() ${how}`, async () => {
        const controller = "/dist/elements/oidc-callback/view.js";
        const map = JSON.stringify({ imports: { [controller]: "/nowhere.js" } });
        const body = `<script>
          window.fetch = parent.fetch;
          const type = sessionStorage.isReloaded ? "text/plain" : "importmap";
          document.write("<script type=" + type + ">", ${JSON.stringify(map)}, "</", "script>");
        </script><oidc-callback></oidc-callback>`;
        const { search, hash } = new URL(await responseUrl(servers, {}, { responseMode }));
        const response = responseMode === "query" ? `&${search.slice(1)}` : hash;
        const page = await open(ENTRIES["/define"], response, body);
        const { href } = page.location;
        const callback = (): OidcCallbackElement =>
          page.document.querySelector("oidc-callback") as OidcCallbackElement;
        await inState(callback(), "error");
        expect(callback().error?.code).to.equal("load_failed");
        expect(href).not.to.include("state=");

        const failure = callback().error;
        part(callback(), "retry").click();
        await waitFor(() => callback().error && callback().error !== failure);
        sessionStorage.setItem("isReloaded", "yes");
        Object.assign(page.history, { replaceState });
        const reloaded = oneEvent(frame as HTMLIFrameElement, "load");
        part(callback(), "retry").click();
        await reloaded;
        await inState(callback(), "success");
        expect(page.location.href).to.equal(href);
      });
    }
  }

  /** The console messages about routers on a page with an element, after its script has run. */
  const openWithRouter = async (
    element: "matrix-login" | "oidc-login",
    router: string,
    response: string,
    count: number,
  ): Promise<readonly string[]> => {
    const log = `window.warnings = []; console.warn = (text) => warnings.push(text);
      window.explained = () => import("/dist/errors/explanations.js");`;
    const query = new URLSearchParams({
      body: `<script>${log}${router}</script><${element}></${element}>`,
      entry: ENTRIES["/define"],
    }).toString();
    frame = await loadFrame({ src: `/test/elements/support/page.html?${query}${response}` });
    const page = frame.contentWindow as Window & {
      readonly warnings?: string[];
      readonly explained: () => Promise<unknown>;
    };
    const login = page.document.querySelector(element);
    await inState(login ?? document.body, "idle");
    // Loads the element's code, which finds no homeserver.
    if (element === "oidc-login") await page.document.querySelector(element)?.login();
    else await waitFor(() => !!login?.shadowRoot?.querySelector("[name=homeserver]"));
    const about = () => (page.warnings ?? []).filter((text) => text.includes("protect-routes.md"));
    await waitFor(() => about().length >= count);
    await page.explained();
    await untilQuiet();
    return about();
  };

  for (const element of ["matrix-login", "oidc-login"] as const) {
    for (const [whose, options, count] of [
      ["of an element", byElement, 1],
      ["that the core started", undefined, 0],
    ] as const) {
      it(`to a sign-in ${whose} is ${count ? "" : "not "}missed by <${element}> if a router has replaced the URL before`, async () => {
        const { hash } = new URL(await responseUrl(servers, undefined, options));
        const about = await openWithRouter(element, `location.hash = "#/";`, hash, count);
        expect(about.length).to.equal(count);
      });
    }
  }

  it("is reported as missed by <oidc-login> if no element on the page completes it", async () => {
    const { hash } = new URL(await responseUrl(servers));
    // Removes the delay before another element would take the response.
    const impatient = `const wait = setTimeout; window.setTimeout = (run, ms) => wait(run, ms < 10000 ? ms : 0);`;
    const [about] = await openWithRouter("oidc-login", impatient, hash, 1);
    expect(about).to.match(/no <oidc-callback> or <matrix-login>/);
  });

  it("is captured after a single sign-on that <matrix-login> has started", async () => {
    const { state } = startSsoLogin({
      homeserverUrl: HOMESERVER,
      redirectUri: location.href,
      ...byElement,
    });
    const page = await open(ENTRIES["/define"], `&loginToken=secret&state=${state}`);
    expect(page.location.href).not.to.match(/secret|state/);
  });

  it("is taken in a popup, whose opener has the sign-in", async () => {
    const page = await open(ENTRIES["/define"], "#code=c&state=mae-1;popup");
    expect(page.location.hash).to.equal("");
  });

  for (const [what, fragmentFor] of Object.entries<() => string | Promise<string>>({
    "that other code requested": () => "#code=c&state=s",
    "to a login that this tab does not have": () => "#code=c&state=mae-1",
    // The core completes its sign-ins itself, from the URL.
    "to a sign-in that the core started": async () => fragmentOf(await responseUrl(servers)),
  })) {
    it(`is ignored when it is one ${what}`, async () => {
      const fragment = await fragmentFor();
      const { length } = sessionStorage;
      const page = await open(ENTRIES["/define"], fragment);
      expect(page.location.hash).to.equal(fragment);
      expect(sessionStorage.length).to.equal(length);
    });
  }
});
