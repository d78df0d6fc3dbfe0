// A page with only the script tag and <matrix-login>, and a Synapse with passwords and single sign-on.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { loginWithPassword } from "matrix-auth-elements/core";
import { freshName } from "../../contract/api-client.js";
import { useBrowser } from "../../e2e/fixture.js";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { inPage } from "../../e2e/driver/page.js";
import {
  assertNoViolations,
  deleteDevice,
  submitPassword,
  waitForState,
} from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { startApplicationPages } from "../application/application.js";
import type { Loopback } from "./loopback.js";
import { startMailbox, type Mailbox } from "./mailbox.js";
import { createAdministrator } from "./scenarios.js";
import { startSynapseWithSso } from "./sso-provider.js";
import { isForeign, type Synapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("synapse");
const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse without this provider",
};
const PASSWORD = "a-long-password";
const LOGIN = "document.querySelector('matrix-login')";

describe("<matrix-login> at Synapse, in Chromium", options, () => {
  const browser = useBrowser();
  let pages: Loopback;
  let mailbox: Mailbox;
  let server: Synapse;
  let tab: Tab;

  before(async () => {
    [pages, mailbox] = await Promise.all([startApplicationPages(), startMailbox()]);
    server = await startSynapseWithSso({
      enable_registration: true,
      enable_registration_without_verification: true,
      email: {
        smtp_host: "localhost",
        smtp_port: mailbox.port,
        enable_tls: false,
        notif_from: "Lantern <lantern@hs.example>",
      },
    });
  });
  after(async () => {
    await server.close();
    await Promise.all([pages.close(), mailbox.close()]);
  });
  beforeEach(async () => {
    tab = await open();
    await tab.run("void localStorage.clear()");
    await typeHomeserver();
  });

  const open = async (profile: Profile = browser.profile): Promise<Tab> => {
    const opened = await profile.newTab();
    await opened.goto(`${pages.origin}/matrix-login.html`);
    await opened.waitFor("matrix-login #homeserver");
    return opened;
  };
  const typeHomeserver = async (): Promise<void> => {
    await tab.type("matrix-login #homeserver", server.serverName);
    await waitForState(tab, "matrix-login", "ready");
  };
  const createAccount = async (): Promise<string> => {
    const user = freshName();
    await server.createAccount({ user, password: PASSWORD });
    return user;
  };
  const fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, value] of Object.entries(values)) {
      await tab.type(`matrix-login [name=${name}]`, value);
    }
    await tab.click("matrix-login [part=submit]");
  };
  const succeeded = async (): Promise<void> => {
    await waitForState(tab, "matrix-login", "success");
    await assertNoViolations(tab);
  };
  const user = (): Promise<string> => tab.run(`${LOGIN}.session.user.userId`);
  const userIdOf = (name: string): string => `@${name}:${server.serverName}`;

  const signInBySso = async (name: string): Promise<void> => {
    await tab.click("matrix-login [part=provider]");
    await tab.type("[name=login]", name);
    await tab.type("[name=password]", "any");
    await tab.click("[type=submit]");
    await tab.waitForTrue("document.querySelector('[name=login]') === null");
    await tab.click("[type=submit]");
    // Synapse asks the user to allow the app.
    await tab.click("a.primary-button");
    await succeeded();
  };

  it("signs in with a password after a wrong one, and deletes another device through the dialog", async () => {
    const name = await createAccount();
    await fill({ username: name, password: "wrong" });
    await waitForState(tab, "matrix-login", "error");
    assert.equal(await tab.run(`${LOGIN}.error.code`), "credentials_invalid");
    await fill({ password: PASSWORD });
    await succeeded();
    assert.equal(await user(), userIdOf(name));
    await loginWithPassword({
      homeserverUrl: server.baseUrl,
      identifier: { type: "m.id.user", user: name },
      password: PASSWORD,
      deviceId: "KITCHEN",
    });
    const left = inPage(tab, deleteDevice, "KITCHEN");
    await submitPassword(tab, PASSWORD);
    assert.deepEqual(await left, [await tab.run(`${LOGIN}.session.user.deviceId`)]);
    recordOperation("any-homeserver");
  });

  it("signs in with single sign-on, and leaves no login token in the URL", async () => {
    const name = freshName();
    await signInBySso(name);
    assert.equal(await user(), userIdOf(name));
    assert.equal(await tab.run("location.search"), "");
  });

  it("registers a user, and shows when the username is taken", async () => {
    const taken = await createAccount();
    const name = freshName();
    await tab.click("matrix-login [part=register]");
    await tab.waitFor("matrix-login [name=repeat]");
    await fill({ username: taken, password: PASSWORD, repeat: PASSWORD });
    await tab.waitFor("matrix-login [name=username][aria-invalid=true]");
    await fill({ username: name });
    await succeeded();
    assert.equal(await user(), userIdOf(name));
  });

  it("resets a password through an email, and signs in with the new one", async () => {
    const name = await createAccount();
    const address = `${name}@mail.example`;
    const administrator = await createAdministrator(server);
    await administrator("PUT", `v2/users/${encodeURIComponent(userIdOf(name))}`, {
      threepids: [{ medium: "email", address }],
    });
    await tab.click("matrix-login [part=forgot]");
    await tab.waitFor("matrix-login [name=email]");
    await fill({ email: address, password: "another-password", repeat: "another-password" });
    const mail = await browser.profile.newTab();
    await mail.goto(await mailbox.linkFor(address));
    // Synapse asks the user to confirm.
    await mail.click("form [type=submit], form button");
    await mail.waitForTrue("document.forms.length === 0");
    await mail.close();
    await tab.waitFor("matrix-login [name=username]");
    await fill({ username: name, password: "another-password" });
    await succeeded();
    assert.equal(await user(), userIdOf(name));
  });
});
