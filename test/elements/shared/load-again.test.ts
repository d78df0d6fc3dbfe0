// "Try again" after a part of an element could not be loaded, in a page that can be reloaded.
import { expect, oneEvent } from "@open-wc/testing";
import { loadFrame } from "../support/element.js";
import { waitFor } from "../support/wait-for.js";

const TAGS = [
  "matrix-account",
  "matrix-login",
  "oidc-callback",
  "oidc-login",
  "uia-fallback-frame",
] as const;

const LOST = "isPartLost";

/** A callback page without a response has another one, once it has loaded. */
const LOAD_ERROR = "[part=error]:has(> [name=error-load_failed])";

describe("After a part could not be loaded", () => {
  let frame: HTMLIFrameElement | undefined;

  afterEach(() => {
    frame?.remove();
    frame = undefined;
    sessionStorage.removeItem(LOST);
  });

  /** Opens a page with an element whose part is missing. */
  async function open(tag: (typeof TAGS)[number]): Promise<HTMLIFrameElement> {
    sessionStorage.setItem(LOST, "yes");
    const map = { imports: { [`/dist/elements/${tag}/view.js`]: "/nowhere.js" } };
    const body = `<script>
      const type = sessionStorage.${LOST} ? "importmap" : "text/plain";
      document.write("<script type=" + type + ">", ${JSON.stringify(JSON.stringify(map))}, "</", "script>");
    </script><${tag} homeserver="hs.example"></${tag}>`;
    const query = new URLSearchParams({ body, entry: "/dist/define/index.js" }).toString();
    return (frame = await loadFrame({ src: `/test/elements/support/page.html?${query}` }));
  }

  for (const tag of TAGS) {
    it(`<${tag}> loads it again, and reloads the page if that fails, too`, async () => {
      const { contentWindow } = await open(tag);
      if (!contentWindow) throw new Error("no page");
      const root = (): ShadowRoot | null | undefined =>
        contentWindow.document.querySelector(tag)?.shadowRoot;
      const error = (): Element | null | undefined => root()?.querySelector(LOAD_ERROR);
      const button = (): HTMLElement | null | undefined =>
        root()?.querySelector<HTMLElement>(tag === "oidc-login" ? "[part=button]" : "[part=retry]");
      // This button waits for a click.
      if (tag === "oidc-login") {
        await waitFor(button);
        button()?.click();
      }
      await waitFor(error, "no error");
      // The map stays in effect until the page is reloaded.
      sessionStorage.removeItem(LOST);
      let isReloaded = false;
      const reloaded = oneEvent(frame as HTMLIFrameElement, "load").then(() => (isReloaded = true));
      let clicks = 0;
      do {
        const before = error();
        clicks += 1;
        button()?.click();
        await waitFor(
          () => isReloaded || (error() && error() !== before),
          "it has not tried again",
        );
      } while (!isReloaded && clicks < 2);
      await reloaded;
      // A visible <oidc-login> has loaded its part before the click.
      if (tag !== "oidc-login") expect(clicks).to.equal(2);
      await waitFor(root, "no element");
      await waitFor(() => contentWindow.document.querySelector(tag)?.matches(":defined"));
      expect(error()).to.be.oneOf([null, undefined]);
    });
  }

  it("<matrix-account> doesn't reload a page without a connection, which would be lost", async () => {
    const page = (await open("matrix-account")).contentWindow as Window & typeof globalThis;
    Object.defineProperty(page.navigator, "onLine", { value: false });
    const root = page.document.querySelector("matrix-account")?.shadowRoot;
    const error = (): Element | null | undefined => root?.querySelector(LOAD_ERROR);
    let before: Element | null | undefined;
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await waitFor(() => error() && error() !== before, "no error");
      before = error();
      root?.querySelector<HTMLElement>("[part=retry]")?.click();
    }
    await waitFor(() => error() && error() !== before, "it has reloaded the page");
  });
});
