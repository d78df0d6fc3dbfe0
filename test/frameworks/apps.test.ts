import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import { waitForTrue, type Tab } from "../e2e/driver/driver.js";
import { useBrowser } from "../e2e/fixture.js";
import { startPasswordTestbed } from "../e2e/password-testbed.js";
import { atProvider, waitForPageText, waitForState } from "../e2e/user-actions.js";
import { folder, startTestbed } from "../e2e/testbed.js";
import { APPS, REFUSAL } from "./frameworks.table.js";
import { startServer } from "./server.js";
import { SUITE } from "../support/wait-for.mjs";

/** The protected page. */
const START = "devices";

for (const { name, app, router, policy, serve } of APPS) {
  describe(`The app with ${name}`, SUITE, () => {
    const browser = useBrowser();
    let pages: Awaited<ReturnType<typeof startPages>>;
    let tab: Tab;

    before(async () => {
      pages = serve
        ? await startServer(app, serve)
        : await startPages({
            roots: { "/": folder(`${app}/dist`) },
            headers: policy === undefined ? {} : { "Content-Security-Policy": policy },
            fallback: folder(`${app}/dist/index.html`),
          });
    });
    after(() => pages.close());
    beforeEach(async () => void (tab = await browser.profile.newTab()));

    /** Waits until the address bar has the route. */
    const at = (route: string): Promise<void> =>
      tab.waitForTrue(
        `location.href === "${pages.origin}/${router === "hash" ? "#/" : ""}${route}"`,
      );

    const signOut = async (device: string): Promise<void> => {
      await tab.run(`document.querySelectorAll("li button").forEach((button) => {
        button.id = button.textContent.trim().replaceAll(" ", "-");
      })`);
      await tab.click(`#Sign-out-${device}`);
    };

    it("signs in with OpenID Connect, stays signed in after a reload, and signs out, with its router", async () => {
      const bed = await startTestbed();
      try {
        await tab.goto(`${pages.origin}/`);
        // The guard leads to the sign-in page, which then returns.
        await tab.waitFor("[name=homeserver]");
        assert.match(await tab.url(), /\/login\?returnTo=/);
        await tab.type("[name=homeserver]", bed.homeserver);
        await waitForState(tab, "oidc-login", "ready");
        await tab.click("oidc-login", "[part=button]");
        await atProvider.signIn(tab, "alice");
        await waitForPageText(tab, "Hello, @alice:");
        await waitForPageText(tab, "(this one)");
        await at(START);
        const account = await tab.run<string>("document.querySelector('main a').href");
        assert.ok(account.startsWith(bed.issuer), "it leads to the provider's page");
        const exchanges = bed.takeRequests().filter((request) => request.endsWith("/token"));
        assert.equal(exchanges.length, 1);
        // The page was not loaded again, so the callback above the router keeps its state.
        const callback = "document.querySelector('oidc-callback')";
        if (router !== "none") assert.equal(await tab.run(`${callback}.state`), "success");
        await tab.reload();
        await waitForPageText(tab, "Hello, @alice:");
        await waitForPageText(tab, "(this one)");
        await at(START);
        if (router !== "none") assert.equal(await tab.run(`${callback}.state`), "idle");
        await tab.click("#leave");
        await tab.waitFor("[name=homeserver]");
        await at("login");
        await tab.goto(`${pages.origin}/${router === "hash" ? "#/" : ""}${START}`);
        await tab.waitFor("[name=homeserver]");
        assert.match(await tab.url(), /\/login\?returnTo=/);
        // A router that reads the response logs a warning.
        assert.deepEqual(tab.warnings, []);
      } finally {
        await bed.close();
      }
    });

    if (serve) {
      it("sends the button in the page's HTML, and the script hydrates it in its place", async () => {
        const url = `${pages.origin}/login?returnTo=/devices`;
        const html = await (await fetch(url)).text();
        assert.match(
          html,
          /<oidc-login [^>]*client-name="\w+ demo"[^>]*>\s*Continue with your homeserver/,
        );
        await tab.goto(url);
        await waitForState(tab, "oidc-login", "idle");
        const places = await tab.run(`(${placesIn.toString()})(document)`);
        await waitForTrue("a page that its script has taken over", async () => {
          await tab.type("[name=homeserver]", "x");
          return tab.run("!document.querySelector('oidc-login').disabled");
        });
        assert.deepEqual(tab.warnings, []);
        assert.deepEqual(
          await tab.run(`(${placesWithoutScripts.toString()})(${placesIn.toString()})`),
          places,
        );
      });
    }

    it("signs in with a password without a provider, and signs a device out after the dialog", async () => {
      const bed = await startPasswordTestbed();
      try {
        await tab.goto(`${pages.origin}/`);
        await tab.type("[name=homeserver]", bed.homeserver.baseUrl);
        await tab.click("oidc-login", "[part=button]");
        await tab.type("[name=user]", "alice");
        await tab.type("[name=password]", "alice-demo-password");
        await tab.press("Enter");
        await waitForPageText(tab, "Sign out KITCHEN");
        await signOut("KITCHEN");
        await tab.waitFor("uia-dialog [name=password]");
        await waitForPageText(tab, "To sign out KITCHEN, confirm it’s you.");
        await tab.typeHere("wrong-password");
        await tab.press("Enter");
        await tab.waitForTrue("document.querySelector('uia-dialog [name=password]').value === ''");
        await waitForState(tab, "uia-dialog", "awaiting-input");
        await tab.typeHere("alice-demo-password");
        await tab.press("Enter");
        await tab.waitForTrue("!document.querySelector('ul').innerText.includes('KITCHEN')");
        await waitForState(tab, "uia-dialog", "idle");
        assert.deepEqual(bed.takeRequests(), [
          "POST /login",
          ...Array<string>(3).fill("DELETE /devices/KITCHEN"),
        ]);
        await signOut("ATTIC");
        await tab.waitFor("uia-dialog [name=password]");
        await tab.press("Escape");
        await waitForState(tab, "uia-dialog", "idle");
        await waitForPageText(tab, "Sign out ATTIC");
        const alert = "document.querySelector('[role=alert]')?.textContent ?? ''";
        assert.equal(await tab.run(alert), "");
        assert.deepEqual(
          tab.warnings.filter((warning) => !REFUSAL.test(warning)),
          [],
        );
      } finally {
        await bed.close();
      }
    });
  });
}

/** Runs in the page: the places of its elements. */
const placesIn = ({ body }: Document): readonly unknown[] =>
  [...body.querySelectorAll("h1, [name=homeserver], oidc-login, main")].map((element) => {
    const { top, height } = element.getBoundingClientRect();
    return [element.localName, top, height];
  });

/** Runs in the page: the places of its elements before the script is loaded. */
async function placesWithoutScripts(places: typeof placesIn): Promise<readonly unknown[]> {
  const frame = document.createElement("iframe");
  frame.sandbox.value = "allow-same-origin";
  frame.style.cssText = "position: fixed; inset: 0; width: 100%; height: 100%; border: 0";
  frame.src = location.href;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  return frame.contentDocument ? places(frame.contentDocument) : [];
}
