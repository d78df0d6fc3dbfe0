// The element shows an error if a part of the library can't be loaded.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import { whatIsWrong } from "./check.js";
import { leaveModes } from "./modes.js";
import { waitFor } from "../support/wait-for.js";

/** Removes every file except the first, so that the parts are not found. */
function loseParts(): void {
  const map = document.createElement("script");
  map.type = "importmap";
  const lost = [
    "matrix-account/view",
    "matrix-login/view",
    "oidc-login/view",
    "oidc-callback/view",
    "uia-dialog/view",
    "uia-fallback-frame/controller",
  ].map((part) => [`/dist/elements/${part}.js`, "/nowhere.js"]);
  map.textContent = JSON.stringify({ imports: Object.fromEntries(lost) });
  document.head.append(map);
}

describe("Without its code", () => {
  before(() => {
    document.title = "A page";
    document.documentElement.lang = "en";
    loseParts();
  });
  afterEach(leaveModes);

  const states = {
    "matrix-account": html`<matrix-account></matrix-account>`,
    "matrix-login": html`<matrix-login homeserver="hs.example"></matrix-login>`,
    "oidc-login": html`<oidc-login homeserver="hs.example"></oidc-login>`,
    "oidc-callback": html`<oidc-callback></oidc-callback>`,
    "uia-fallback-frame": html`<uia-fallback-frame></uia-fallback-frame>`,
  };
  for (const [tag, template] of Object.entries(states)) {
    it(`<${tag}> shows an accessible error when its code cannot be loaded`, async () => {
      const page = await fixture(html`
        <main>
          <h1>A page</h1>
          ${template}
        </main>
      `);
      const root = page.querySelector(tag)?.shadowRoot;
      const alert = (): HTMLElement | null | undefined => root?.querySelector("[role=alert]");
      // The button waits for a click.
      if (tag === "oidc-login") await page.querySelector("oidc-login")?.login();
      await waitFor(() => alert()?.innerText);
      expect(alert()?.innerText).to.contain("couldn’t be loaded");
      const box = alert()?.querySelector("[part=error]") as Element;
      expect(getComputedStyle(alert() as Element).position, "takes no space").to.equal("static");
      // <oidc-login> has its own button.
      const retry = root?.querySelector("[part=retry]");
      expect(retry?.textContent?.trim()).to.equal(tag === "oidc-login" ? undefined : "Try again");
      // The error is in a box, as other errors are, and the element has stopped being busy.
      expect(getComputedStyle(box).borderTopStyle).to.equal("solid");
      expect(root?.querySelector("[aria-busy=true]")).to.be.null;
      expect(await whatIsWrong()).to.deep.equal([]);
    });
  }

  it("<matrix-login disabled> can't be used at all", async () => {
    const page = await fixture(html`<main><matrix-login disabled></matrix-login></main>`);
    const root = page.querySelector("matrix-login")?.shadowRoot;
    await waitFor(() => root?.querySelector("[part=retry]:disabled"), "it can be pressed");
  });

  for (const tag of ["matrix-account", "matrix-login", "oidc-login", "oidc-callback"] as const) {
    it(`<${tag}> shows no text if the page shows the error itself`, async () => {
      const code = new Promise((resolve) => {
        for (const type of ["matrix-account-error", "matrix-login-error", "oidc-error"] as const) {
          const leave = (event: DocumentEventMap[typeof type]): void => {
            event.preventDefault();
            resolve(event.detail.code);
          };
          document.addEventListener(type, leave, { once: true });
        }
      });
      const page = await fixture(html`<main>${states[tag]}</main>`);
      const element = page.querySelector(tag);
      await page.querySelector("oidc-login")?.login();
      expect(await code).to.equal("load_failed");
      await element?.updateComplete;
      expect(element?.state).to.equal("error");
      expect(element?.shadowRoot?.textContent).not.to.contain("couldn’t be loaded");
      // The user can still try again.
      expect(element?.shadowRoot?.querySelector("button")).not.to.be.null;
    });
  }
});
