// Other ways to the same accounts: <matrix-login>, the legacy API that the provider serves, and matrix-js-sdk.
import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { startPages } from "../../../demo/server/pages.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { Login, moveClock, waitForStoredUser, type Whoami } from "../../e2e/login.js";
import { folder } from "../../e2e/testbed.js";
import { waitForState } from "../../e2e/user-actions.js";
import { assertMediaNeedsWorker, startMediaPages } from "../application/media.js";
import type { Loopback } from "../synapse/loopback.js";
import { describeMas } from "./testbed.js";
import { atMas } from "./user-actions.js";

/** After it, the tokens of this provider have expired. */
const EXPIRY_MS = 61_000;

describeMas("Other clients of Matrix Authentication Service", (given) => {
  let tab: Tab;
  let pages: Loopback;
  before(async () => void (pages = await startMediaPages()));
  after(() => pages.close());
  beforeEach(async () => void (tab = await given.profile.newTab()));

  const account = () => ({ user: given.user, password: `${given.user}-demo-password` });
  const userId = (): string => `@${given.user}:${given.bed.synapse.serverName}`;

  /** Opens `<matrix-login>`, and types the homeserver's name. */
  const open = async (methods?: string): Promise<void> => {
    await tab.goto(`${given.bed.pages.origin}/matrix-login.html`);
    await tab.waitFor("matrix-login #homeserver");
    const settings = JSON.stringify({ clientUri: "https://app.example/", methods });
    await tab.run(`void Object.assign(document.querySelector("matrix-login"), ${settings})`);
    await tab.type("matrix-login #homeserver", given.bed.synapse.serverName);
    await waitForState(tab, "matrix-login", "ready");
  };
  const signedIn = async (): Promise<readonly unknown[]> => {
    await waitForState(tab, "matrix-login", "success");
    return tab.run(`(({ kind, user }) => [kind, user.userId])(
      document.querySelector("matrix-login").session)`);
  };

  it("signs in with only the provider's button when the user types the homeserver's name", async () => {
    await open();
    assert.equal(await tab.run("document.querySelector('input[type=password]') === null"), true);
    await tab.click("matrix-login", "oidc-login button");
    await atMas.signIn(tab, given.user);
    assert.deepEqual(await signedIn(), ["oauth", userId()]);
  });

  it("shows no homeserver form for a new account or password, even with every method", async () => {
    await open("oauth sso password");
    await tab.waitFor("input[type=password]");
    const forms = "[part=register], [part=forgot]";
    assert.equal(await tab.run(`document.querySelector("${forms}") === null`), true);
  });

  it("signs in with a password, refreshes the token, and signs out with the legacy API", async () => {
    await tab.goto(`${pages.origin}/session.html`);
    await tab.waitForTrue("window.isReady");
    const { user, password } = account();
    const login = { homeserverUrl: given.bed.synapse.baseUrl, password };
    await tab.run(`core.loginWithPassword({
      ...${JSON.stringify(login)}, identifier: { type: "m.id.user", user: "${user}" },
    }).then((result) => hold(new core.LegacySession(result)))`);
    assert.equal((await tab.run<Whoami>("whoami()")).user_id, userId());
    const token = await tab.run<string>("session.accessToken()");
    await moveClock(tab, EXPIRY_MS);
    assert.equal((await tab.run<Whoami>("whoami()")).user_id, userId());
    assert.notEqual(await tab.run("session.accessToken()"), token);
    assert.equal(await tab.run("session.signOut()"), true);
  });

  it("signs in through single sign-on with the legacy API", async () => {
    await open("sso");
    await tab.click("matrix-login [part=provider]");
    await atMas.signIn(tab, given.user);
    assert.deepEqual(await signedIn(), ["legacy", userId()]);
  });

  it("shows and plays media only if there is a service worker", async () => {
    await assertMediaNeedsWorker(tab, pages, given.bed.synapse.baseUrl, account());
  });

  it("lets a client of matrix-js-sdk 43 sync, even with expired tokens", async () => {
    const client = await startPages({
      roots: {
        "/": folder("test/e2e/pages"),
        "/dist/": folder("dist"),
        "/client/": folder("test/interop/matrix-js-sdk/dist"),
      },
    });
    try {
      const servers = { ...given.bed.loginAs(given.user), pages: client.origin };
      await new Login(servers, tab).signIn({ "redirect-uri": "/kept.html" });
      await waitForStoredUser(tab);
      await tab.goto(`${client.origin}/client/client.html?sdk=43`);
      await tab.waitForTrue("window.isReady");
      await moveClock(tab, EXPIRY_MS);
      await tab.run("client.startClient({ pollTimeout: 1000 }).then(() => null)");
      await tab.waitForTrue("client.isInitialSyncComplete()");
      assert.equal(await tab.run("client.whoami().then(({ user_id }) => user_id)"), userId());
    } finally {
      await client.close();
    }
  });
});
