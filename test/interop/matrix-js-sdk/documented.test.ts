// The app of docs/get-started/matrix-js-sdk.md, with each version of matrix-js-sdk and a Synapse with
// passwords; and the statements of docs/guides/migrate-from-matrix-js-sdk.md about 41.9.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startPages } from "../../../demo/server/pages.js";
import { waitForTrue } from "../../e2e/driver/driver.js";
import { useBrowser } from "../../e2e/fixture.js";
import { waitForPageText } from "../../e2e/user-actions.js";
import { folder } from "../../e2e/testbed.js";
import type { Loopback } from "../synapse/loopback.js";
import { isForeign, startSynapse, type Synapse } from "../synapse/synapse.js";
import { ClientPage, POLICY, expire, signInByPassword } from "./client-page.js";
import { SUITE } from "../../support/wait-for.mjs";

const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse with its own settings",
};

describe("The app of docs/get-started/matrix-js-sdk.md", options, () => {
  const browser = useBrowser();
  let synapse: Synapse;
  let pages: Loopback;
  before(async () => {
    synapse = await startSynapse({ settings: { refreshable_access_token_lifetime: "5s" } });
    pages = await startPages({
      roots: { "/": folder("test/interop/matrix-js-sdk/dist") },
      headers: { "Content-Security-Policy": POLICY },
      fallback: folder("test/interop/matrix-js-sdk/dist/documented.html"),
    });
  });
  after(() => Promise.all([synapse.close(), pages.close()]));

  for (const version of [34, 43]) {
    it(`keeps its keys with matrix-js-sdk ${version} across a reload and a soft logout, and signs out`, async () => {
      const tab = await browser.profile.newTab();
      const page = new ClientPage(tab, `${pages.origin}/${version}`, synapse);
      await page.open();
      await signInByPassword(tab, synapse);
      await waitForPageText(tab, "0 rooms");
      const { deviceId } = await page.record();
      await waitForTrue(
        "published keys",
        async () => (await page.publicKeys()).device !== undefined,
      );
      const keys = await page.publicKeys();

      const api = await page.api();
      await api("POST", "v3/createRoom", {});
      await waitForPageText(tab, "1 rooms");
      await tab.reload();
      await waitForPageText(tab, "1 rooms");
      assert.deepEqual(await page.publicKeys(), keys);

      await expire(page);
      await page.waitForLogin();
      await signInByPassword(tab, synapse);
      await waitForPageText(tab, "1 rooms");
      assert.equal((await page.record()).deviceId, deviceId);
      // Without its stored keys, it would have published new ones.
      assert.deepEqual(await page.publicKeys(), keys);

      // Only one client can run, so another tab shows that it waits.
      const second = await browser.profile.newTab();
      await second.goto(`${pages.origin}/${version}`);
      await waitForPageText(second, "open in another tab");

      assert.notDeepEqual(await page.sdkEntries(), []);
      await tab.click("#leave");
      await tab.waitFor("matrix-login #homeserver");
      await second.waitFor("matrix-login #homeserver");
      assert.equal(await page.record(), null);
      assert.deepEqual(await page.sdkEntries(), []);
      await second.close();
    });
  }
});

describe("docs/guides/migrate-from-matrix-js-sdk.md", () => {
  it("names everything that 41.9 exports for OpenID Connect", async () => {
    const oidc = folder("test/interop/matrix-js-sdk/node_modules/matrix-js-sdk-41/lib/oidc");
    const guide = await readFile("docs/guides/migrate-from-matrix-js-sdk.md", "utf8");
    const exported: string[] = [];
    for (const name of (await readdir(oidc)).filter((each) => each.endsWith(".d.ts"))) {
      const declared = (await readFile(join(oidc, name), "utf8")).matchAll(
        /^export (?:declare )?(?:const|function|class|enum|type|interface) (\w+)/gm,
      );
      exported.push(...[...declared].map(([, each = ""]) => each));
    }
    assert.ok(exported.includes("completeAuthorizationCodeGrant"));
    assert.deepEqual(
      exported.filter((name) => !new RegExp(`\`${name}\\b`).test(guide)),
      [],
    );
  });
});
