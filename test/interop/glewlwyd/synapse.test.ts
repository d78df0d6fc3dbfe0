// <matrix-login> with a real Synapse whose users sign in with Glewlwyd.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { useBrowser } from "../../e2e/fixture.js";
import { assertNoViolations, waitForState } from "../../e2e/user-actions.js";
import { startApplicationPages } from "../application/application.js";
import type { Loopback } from "../synapse/loopback.js";
import { isForeign, startSynapse, type Synapse } from "../synapse/synapse.js";
import { ALICE } from "./provider.js";
import { startTestbed, type Testbed } from "./testbed.js";
import { atProvider } from "./user-actions.js";
import { freePort } from "../../support/ports.mjs";
import { SUITE } from "../../support/wait-for.mjs";

const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse without this provider",
};
const CLIENT = { client_id: "synapse", client_secret: randomBytes(16).toString("hex") };

describe("<matrix-login> with Synapse and Glewlwyd, in Chromium", options, () => {
  const browser = useBrowser();
  let bed: Testbed;
  let pages: Loopback;
  let synapse: Synapse;

  before(async () => {
    const port = await freePort();
    [bed, pages] = await Promise.all([
      startTestbed({
        idp: { alg: "RS256", rotates: false, saysWho: false, registers: false, device: false },
      }),
      startApplicationPages(),
    ]);
    await bed.addConfidentialClient(
      CLIENT,
      `http://localhost:${port}/_synapse/client/oidc/callback`,
    );
    const provider = {
      idp_id: "glewlwyd",
      idp_name: "Glewlwyd",
      issuer: bed.providers["idp"]?.issuer,
      ...CLIENT,
      scopes: ["openid"],
      pkce_method: "always",
      // The provider uses HTTP.
      skip_verification: true,
      user_mapping_provider: { config: { localpart_template: "{{ user.sub | lower }}" } },
    };
    synapse = await startSynapse({ port, settings: { oidc_providers: [provider] } });
  });
  after(async () => {
    await Promise.all([synapse.close(), pages.close(), bed.close()]);
  });

  it("signs in with single sign-on, and signs out", async () => {
    const tab = await browser.profile.newTab();
    await tab.goto(`${pages.origin}/matrix-login.html`);
    await tab.waitFor("matrix-login #homeserver");
    await tab.type("matrix-login #homeserver", synapse.serverName);
    await waitForState(tab, "matrix-login", "ready");
    await tab.click("matrix-login [part=provider]");
    await atProvider.typePassword(tab, ALICE.password);
    await atProvider.continue(tab);
    // Synapse asks the user to allow the app.
    await tab.waitFor("a.primary-button");
    await tab.click("a.primary-button");
    await waitForState(tab, "matrix-login", "success");
    const login = "document.querySelector('matrix-login')";
    const { user_id: userId } = await tab.run<{ user_id: string }>(`${login}.client.whoami()`);
    assert.equal(await tab.run(`${login}.session.user.userId`), userId);
    assert.equal(await tab.run(`${login}.session.kind`), "legacy");
    await assertNoViolations(tab);
    assert.equal(await tab.run(`${login}.session.signOut()`), true);
  });
});
