import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HomeserverClient, OidcSession } from "matrix-auth-elements/core";
import type { Driver, Profile } from "./driver/driver.js";
import { shown, startBrowser } from "./driver/engine.js";
import { atProvider } from "./user-actions.js";
import { startTestbed, type Testbed } from "./testbed.js";
import { signInWithoutBrowser } from "./without-browser.js";

describe("A program without a browser of its own", { timeout: 120_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;

  before(async () => {
    [driver, bed] = await Promise.all([startBrowser(), startTestbed()]);
    profile = await driver.newProfile();
  });
  after(() => Promise.all([driver.close(), bed.close()]));

  it("signs in by the person's, keeping its own state, and has a session with it", async () => {
    const tab = await profile.newTab();
    const result = await signInWithoutBrowser(bed.homeserver, tab, atProvider.signIn);
    const session = new OidcSession(result);
    const client = new HomeserverClient({ baseUrl: bed.homeserver, session });
    const { user_id, device_id } = await client.whoami();
    assert.match(user_id, /^@alice:/);
    assert.equal(device_id, "PROGRAMDEVICE");
    assert.notEqual(await session.refresh(), result.tokenResponse.access_token);
    assert.equal((await client.whoami()).user_id, user_id);
    await session.signOut();
    await assert.rejects(client.whoami());
    shown("without-browser");
  });
});
