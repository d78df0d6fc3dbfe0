import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import { useBrowser } from "../e2e/fixture.js";
import { waitForState, atProvider } from "../e2e/user-actions.js";
import { folder, startTestbed } from "../e2e/testbed.js";
import { FRAMEWORKS } from "./frameworks.js";

describe("The documentation's block", { timeout: 300_000 }, () => {
  const browser = useBrowser();

  for (const { name, documented } of FRAMEWORKS) {
    if (documented === undefined) continue;
    it(`signs in with ${name}, and the console stays empty`, async () => {
      const [bed, pages] = await Promise.all([
        startTestbed(),
        startPages({
          roots: { "/": folder(documented) },
          fallback: folder(`${documented}/index.html`),
        }),
      ]);
      try {
        const tab = await browser.profile.newTab();
        await tab.goto(`${pages.origin}/`);
        await tab.waitFor("oidc-login");
        // The homeserver of the block is none of these.
        await tab.run(
          `void (document.querySelector("oidc-login").homeserver = "${bed.homeserver}")`,
        );
        await waitForState(tab, "oidc-login", "ready");
        await tab.click("oidc-login", "[part=button]");
        await atProvider.signIn(tab);
        await tab.waitForTrue("document.body.innerText.includes('You are @alice:')");
        const warnings = tab.warnings.filter((each) => !each.includes("ERR_NAME_NOT_RESOLVED"));
        assert.deepEqual(warnings, []);
      } finally {
        await Promise.all([bed.close(), pages.close()]);
      }
    });
  }
});
