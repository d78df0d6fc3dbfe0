// The app of demo/matrix-js-sdk with each kind of Synapse.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitForTrue, type Profile, type Tab } from "../../e2e/driver/driver.js";
import { useBrowser } from "../../e2e/fixture.js";
import { moveClock } from "../../e2e/login.js";
import {
  atProvider,
  useProviderButton,
  waitForPageText,
  waitForState,
} from "../../e2e/user-actions.js";
import { describeDelegated } from "../delegated/testbed.js";
import type { Loopback } from "../synapse/loopback.js";
import { isForeign, startSynapse, type Synapse } from "../synapse/synapse.js";
import { confirmByPassword, expire, signInByPassword } from "./client-page.js";
import { Notes, startNotesPages } from "./notes.js";
import { SUITE } from "../../support/wait-for.mjs";

/** A kind of homeserver, and its user's actions. */
interface Kind {
  readonly synapse: Synapse;
  readonly profile: Profile;
  /** Signs in once the page has found the homeserver. */
  signIn(tab: Tab): Promise<void>;
  /** Confirms that new cross-signing keys replace the existing ones. */
  confirm(tab: Tab): Promise<void>;
  /** Makes the homeserver remove the session's tokens, but not its device. */
  softLogout(notes: Notes): Promise<void>;
}

function flows(kind: Kind): void {
  let pages: Loopback;
  before(async () => void (pages = await startNotesPages()));
  after(() => pages.close());

  const signIn = async (): Promise<Notes> => {
    const tab = await kind.profile.newTab();
    const notes = new Notes(tab, `${pages.origin}/`, kind.synapse);
    await notes.open();
    await kind.signIn(notes.tab);
    await notes.waitForDevice("not signed");
    return notes;
  };

  it("signs its device, writes an encrypted note, reads it after a reload, and signs out", async () => {
    const notes = await signIn();
    const { tab } = notes;
    // The first keys need no confirmation.
    await tab.click("#sign");
    await notes.waitForDevice("signed");
    await notes.write("Water the plants");
    await notes.waitForNotes("Water the plants");
    await notes.waitForRoom();
    assert.deepEqual(await notes.messageTypes(), ["m.room.encrypted"]);
    const first = await notes.publicKeys();
    assert.ok(first.device && first.master);

    await tab.click("#reset");
    await kind.confirm(tab);
    await waitForState(tab, "uia-dialog", "idle");
    await notes.waitForDevice("signed");
    const { device, master } = await notes.publicKeys();
    assert.deepEqual(device, first.device);
    assert.notDeepEqual(master, first.master);
    await notes.waitForSignature();

    await tab.reload();
    await notes.waitForDevice("signed");
    await notes.waitForNotes("Water the plants");
    await notes.write("Feed the cat");
    await notes.waitForNotes("Water the plants", "Feed the cat");
    assert.equal(await tab.run("document.querySelector('.problem').textContent"), "");

    const second = await kind.profile.newTab();
    await second.goto(`${pages.origin}/`);
    await waitForPageText(second, "open in another tab");

    await tab.click("#leave");
    await tab.waitFor("matrix-login #homeserver");
    await second.waitFor("matrix-login #homeserver");
    await second.close();
    assert.equal(await notes.record(), null);
    assert.deepEqual(await notes.sdkEntries(), []);
    const databases = "indexedDB.databases().then((all) => all.map(({ name }) => name))";
    assert.deepEqual(await tab.run(databases), []);
  });

  it("keeps its keys across a soft logout when signing in again as the same device", async () => {
    const notes = await signIn();
    await notes.tab.click("#sign");
    await notes.waitForDevice("signed");
    await notes.write("Water the plants");
    await notes.waitForNotes("Water the plants");
    const { deviceId } = await notes.record();

    await kind.softLogout(notes);
    await notes.waitForLogin();
    await kind.signIn(notes.tab);
    await notes.waitForDevice("signed");
    await notes.waitForNotes("Water the plants");
    assert.equal((await notes.record()).deviceId, deviceId);
  });
}

const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse with its own settings",
};

describe("The demo's client at a Synapse with passwords", options, () => {
  const browser = useBrowser();
  let synapse: Synapse;
  before(async () => {
    synapse = await startSynapse({ settings: { refreshable_access_token_lifetime: "5s" } });
  });
  after(() => synapse.close());

  flows({
    get synapse() {
      return synapse;
    },
    get profile() {
      return browser.profile;
    },
    signIn: (tab) => signInByPassword(tab, synapse),
    confirm: confirmByPassword,
    softLogout: expire,
  });
});

describeDelegated("The demo's client at a Synapse that delegates", (given) => {
  const TOKEN = "/oauth2/token";
  flows({
    get synapse() {
      return given.bed.synapse;
    },
    get profile() {
      return given.profile;
    },
    async signIn(tab) {
      await useProviderButton(tab, "click");
      const known = "[name=action][value=allow]";
      await tab.waitForTrue(`document.querySelector("[name=username], ${known}") !== null`);
      const isKnown = await tab.run(`document.querySelector("${known}") !== null`);
      await (isKnown ? atProvider.allow(tab) : atProvider.signIn(tab, given.user));
    },
    async confirm(tab) {
      await tab.waitForTrue("document.querySelector('uia-dialog').open");
      const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
      await page.click("[name=allow]");
    },
    // The session's token is unknown to Synapse, and the provider rejects refreshes for a minute without an
    // OAuth error.
    async softLogout(notes) {
      const { faults } = given.bed.provider;
      faults[TOKEN] = { status: 400, body: {} };
      await notes.reopenWith(({ tokenResponse }) => {
        tokenResponse.access_token = "lost";
      });
      await waitForTrue("the end of the session", async () => {
        const isRefused = given.bed.takeRequests().includes(`POST ${TOKEN}`);
        if (isRefused) await moveClock(notes.tab, 61_000);
        return notes.tab.run("!document.querySelector('matrix-login').hidden");
      });
      delete faults[TOKEN];
    },
  });
});
