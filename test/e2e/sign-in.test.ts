import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { INSECURE_HOST, type Driver, type Profile, type Tab } from "./driver/driver.js";
import { needs, shown, startBrowser } from "./driver/engine.js";
import { waitForState, atProvider, textOf } from "./user-actions.js";
import { startTestbed, type Testbed, type TestbedOptions } from "./testbed.js";

interface Heard {
  readonly type: string;
  readonly code?: string;
  readonly reason?: string;
}

interface Result {
  readonly homeserverUrl: string;
  readonly deviceId: string;
  readonly scope: string;
  readonly tokenResponse: {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly expires_at: number;
    readonly token_type: string;
  };
  readonly oidcClientSettings: { readonly clientId: string; readonly issuer: string };
  readonly idTokenClaims: { readonly iss: string; readonly aud: string };
}

const WELL_KNOWN = "GET /.well-known/matrix/client";
const STABLE = "GET /_matrix/client/v1/auth_metadata";
const UNSTABLE = "GET /_matrix/client/unstable/org.matrix.msc2965/auth_metadata";
const AUTH_ISSUER = "GET /_matrix/client/unstable/org.matrix.msc2965/auth_issuer";
const ISSUER_DOCUMENT = "GET /.well-known/openid-configuration";
const REGISTRATION = "POST /oauth2/registration";
const TOKEN = "POST /oauth2/token";
const KEYS = "GET /oauth2/keys.json";

describe("Signing in", { timeout: 300_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  const heard = (): Promise<readonly Heard[]> => tab.run("window.heard");
  const result = (): Promise<Result> => tab.run("window.result");
  const whoami = (): Promise<{ user_id: string; device_id: string }> =>
    tab.run("document.querySelector('oidc-callback').client.whoami()");

  const openLogin = async (attributes: Record<string, string> = {}): Promise<void> => {
    const query = new URLSearchParams({ homeserver: bed.homeserver, ...attributes });
    await tab.goto(`${bed.pages}/login.html?${query.toString()}`);
  };
  const signIn = async (attributes?: Record<string, string>): Promise<void> => {
    await openLogin(attributes);
    await waitForState(tab, "oidc-login", "ready");
    await tab.click("oidc-login", "[part=button]");
    await atProvider.signIn(tab);
    await tab.waitForUrl("/callback.html");
    await waitForState(tab, "oidc-callback", "success");
    await tab.waitForTrue("window.result !== undefined");
  };

  before(async () => {
    driver = await startBrowser();
  });
  after(() => driver.close());

  const withTestbed = (options?: TestbedOptions): void => {
    beforeEach(async () => {
      bed = await startTestbed(options);
      profile = await driver.newProfile();
      tab = await profile.newTab();
    });
    afterEach(async () => {
      await profile.close();
      await bed.close();
    });
  };

  describe("to a homeserver that delegates to a provider", () => {
    withTestbed();

    it("wins tokens that the homeserver accepts, for the device that was asked for", async () => {
      await signIn({ "device-id": "CHOSENDEVICE" });
      const { tokenResponse, homeserverUrl, oidcClientSettings, idTokenClaims, deviceId, scope } =
        await result();
      assert.equal(homeserverUrl, bed.homeserver);
      assert.equal(oidcClientSettings.issuer, bed.issuer);
      assert.equal(idTokenClaims.iss, bed.issuer);
      assert.equal(idTokenClaims.aud, oidcClientSettings.clientId);
      assert.equal(deviceId, "CHOSENDEVICE");
      assert.match(scope, /urn:matrix:client:api:\*/);
      assert.equal(tokenResponse.token_type, "Bearer");
      assert.ok(tokenResponse.refresh_token);
      assert.ok(tokenResponse.expires_at > Date.now() / 1000);
      const { user_id, device_id } = await whoami();
      assert.match(user_id, /^@alice:/);
      assert.equal(device_id, "CHOSENDEVICE");
      assert.deepEqual(await heard(), [{ type: "oidc-success" }]);
      shown("discovery", "registration", "sign-in", "device");
    });

    it("asks the network no more than it must", async () => {
      await openLogin();
      await waitForState(tab, "oidc-login", "ready");
      assert.deepEqual(bed.takeRequests(), [WELL_KNOWN, STABLE], "page load to ready");
      await tab.click("oidc-login", "[part=button]");
      await tab.waitFor("[name=username]");
      const leaving = bed.takeRequests();
      assert.equal(leaving[0], REGISTRATION, "click to leaving");
      assert.equal(leaving[1], "GET /authorize", "leaving");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "success");
      const completing = bed
        .takeRequests()
        .filter((request) => /token|keys|well-known|metadata/.test(request));
      assert.deepEqual([...completing].sort(), [KEYS, TOKEN], "callback to tokens");
    });

    it("asks for the keys beside the tokens, not after them", async () => {
      bed.faults["/oauth2/token"] = { delayMs: 1500 };
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "pending");
      bed.takeRequests();
      await tab.waitForTrue(
        "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/keys.json'))",
      );
      assert.equal(await tab.run("document.querySelector('oidc-callback').state"), "pending");
      await waitForState(tab, "oidc-callback", "success");
    });

    it("leaves the page without any request where the client id is known", async () => {
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await tab.waitFor("[name=username]");
      await tab.back();
      await waitForState(tab, "oidc-login", "ready");
      bed.takeRequests();
      await tab.click("oidc-login", "[part=button]");
      await tab.waitFor("[name=username]");
      assert.equal(bed.takeRequests()[0], "GET /authorize", "the pending flow gives its id again");
    });

    it("keeps one client id for good with registration=reuse", async () => {
      await signIn({ registration: "reuse" });
      const first = (await result()).oidcClientSettings.clientId;
      bed.takeRequests();
      await openLogin({ registration: "reuse" });
      await waitForState(tab, "oidc-login", "ready");
      await tab.click("oidc-login", "[part=button]");
      await atProvider.allow(tab);
      await waitForState(tab, "oidc-callback", "success");
      await tab.waitForTrue("window.result !== undefined");
      assert.ok(!bed.takeRequests().includes(REGISTRATION));
      assert.equal((await result()).oidcClientSettings.clientId, first);
    });

    it("registers anew for each login by default", async () => {
      await signIn();
      const first = (await result()).oidcClientSettings.clientId;
      await openLogin();
      await waitForState(tab, "oidc-login", "ready");
      await tab.click("oidc-login", "[part=button]");
      await atProvider.allow(tab);
      await tab.waitForTrue("window.result !== undefined");
      assert.notEqual((await result()).oidcClientSettings.clientId, first);
    });

    it("leaves nothing of the answer in the address bar, the history or the storage", async () => {
      await signIn();
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      assert.equal(await tab.run("JSON.stringify({ ...sessionStorage })"), "{}");
    });

    it("works with the answer in the query", async () => {
      await signIn({ "response-mode": "query" });
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      assert.match((await whoami()).user_id, /^@alice:/);
    });

    it("goes to return-to after the listeners have run", async () => {
      await openLogin({ "return-to": "/login.html?homeserver=back" });
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await tab.waitForUrl("/login.html?homeserver=back");
    });

    it("creates an account with prompt=create", async () => {
      await openLogin({ prompt: "create" });
      assert.match(await textOf(tab, "oidc-login"), /Create account/);
      await tab.click("oidc-login", "[part=button]");
      await atProvider.createAccount(tab, "dora");
      await waitForState(tab, "oidc-callback", "success");
      assert.match((await whoami()).user_id, /^@dora:/);
      shown("create");
    });

    it("tells a refusal from an error, with a way to start again", async () => {
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await atProvider.refuse(tab);
      await waitForState(tab, "oidc-callback", "error");
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "oidc-cancel", reason: "refused" }]);
      assert.match(await textOf(tab, "oidc-callback"), /You did not sign in\..*Start over/);
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      await tab.click("oidc-callback", "[part=start-again]");
      await tab.waitForUrl("/login.html?homeserver=");
      await waitForState(tab, "oidc-login", "ready");
      shown("refusal");
    });

    it("gives a working button after the back button", async () => {
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await tab.waitFor("[name=username]");
      await tab.back();
      await waitForState(tab, "oidc-login", "ready");
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "success");
    });

    it("says so when the callback is reloaded, and sends no request", async () => {
      await signIn();
      bed.takeRequests();
      await tab.reload();
      await waitForState(tab, "oidc-callback", "error");
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "flow_unknown" }]);
      assert.match(await textOf(tab, "oidc-callback"), /No sign-in in progress.*Start over/);
      assert.deepEqual(bed.takeRequests(), []);
    });

    it("says so when a used answer is opened again, and cleans the address", async () => {
      await tab.goto(`${bed.pages}/callback.html?code=used&state=mae-used&keep=this`);
      await waitForState(tab, "oidc-callback", "error");
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "flow_unknown" }]);
      assert.equal(tab.url(), `${bed.pages}/callback.html?keep=this`);
    });

    it("leaves an answer alone that other code of the page asked for", async () => {
      const address = `${bed.pages}/callback.html?code=theirs&state=theirs`;
      await tab.goto(address);
      await waitForState(tab, "oidc-callback", "error");
      assert.equal(tab.url(), address);
      assert.deepEqual(bed.takeRequests(), []);
    });

    it("exchanges the code once, however often the callback is mounted", async () => {
      await openLogin({ "redirect-uri": "/double.html" });
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await tab.waitForTrue("window.result !== undefined");
      await tab.waitForTrue(
        "[...document.querySelectorAll('oidc-callback')].every(({ state }) => state === 'success')",
      );
      assert.equal(await tab.run("document.querySelectorAll('oidc-callback').length"), 3);
      assert.equal(bed.takeRequests().filter((request) => request === TOKEN).length, 1);
      assert.deepEqual(await heard(), [{ type: "oidc-success" }]);
    });

    it("signs in two tabs at once, each its own", async () => {
      const other = await profile.newTab();
      const query = new URLSearchParams({ homeserver: bed.homeserver });
      for (const each of [tab, other]) {
        await each.goto(`${bed.pages}/login.html?${query.toString()}`);
        await each.click("oidc-login", "[part=button]");
        await each.waitFor("[name=username]");
      }
      await atProvider.signIn(other, "bob");
      await waitForState(other, "oidc-callback", "success");
      await atProvider.signIn(tab, "alice");
      await waitForState(tab, "oidc-callback", "success");
      assert.match((await whoami()).user_id, /^@alice:/);
      assert.match(
        (
          await other.run<{ user_id: string }>(
            "document.querySelector('oidc-callback').client.whoami()",
          )
        ).user_id,
        /^@bob:/,
      );
    });

    it("offers to try again after the network failed, and then succeeds", async () => {
      bed.faults["/oauth2/token"] = { drop: true };
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "error");
      await tab.waitForTrue("window.heard.length > 0");
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "network_error" }]);
      assert.match(await textOf(tab, "oidc-callback"), /Can’t reach.*Try again/);
      delete bed.faults["/oauth2/token"];
      await tab.click("oidc-callback", "[part=retry]");
      await waitForState(tab, "oidc-callback", "success");
      assert.match((await whoami()).user_id, /^@alice:/);
    });

    it("does not lose tokens when the keys are out of reach", async () => {
      bed.faults["/oauth2/keys.json"] = { drop: true };
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "error");
      delete bed.faults["/oauth2/keys.json"];
      bed.takeRequests();
      await tab.click("oidc-callback", "[part=retry]");
      await waitForState(tab, "oidc-callback", "success");
      assert.ok(!bed.takeRequests().includes(TOKEN), "the code is used up");
      assert.match((await whoami()).user_id, /^@alice:/);
    });

    it("says so when the provider is down, and goes on when it is tried again", async () => {
      bed.faults["/oauth2/registration"] = { drop: true };
      await openLogin();
      await waitForState(tab, "oidc-login", "ready");
      await tab.click("oidc-login", "[part=button]");
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /Can’t reach/);
      assert.deepEqual(await heard(), [
        { type: "oidc-login-start" },
        { type: "oidc-error", code: "network_error" },
      ]);
      delete bed.faults["/oauth2/registration"];
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await waitForState(tab, "oidc-callback", "success");
    });

    it("says so when the provider is gone from the start", async () => {
      await bed.stopProvider();
      bed.faults["/auth_metadata"] = { status: 500, body: { errcode: "M_UNKNOWN" } };
      await openLogin();
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /Something went wrong on/);
    });

    it("gets past a failure that the browser has cached", async () => {
      const cached = { "Cache-Control": "public, max-age=600" };
      bed.faults["/auth_metadata"] = { status: 500, body: {}, headers: cached };
      await openLogin();
      await waitForState(tab, "oidc-login", "error");
      delete bed.faults["/auth_metadata"];
      await tab.reload();
      await waitForState(tab, "oidc-login", "ready");
    });

    it("says so on a page over plain http", needs("a page over plain http"), async () => {
      const { port } = new URL(bed.pages);
      const query = new URLSearchParams({ homeserver: bed.homeserver });
      await tab.goto(`http://${INSECURE_HOST}:${port}/login.html?${query.toString()}`);
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /secure connection/);
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "insecure_context" }]);
    });

    it(
      "says so where the browser blocks storage, before anybody leaves",
      needs("blocked storage"),
      async () => {
        const blocked = await driver.newProfile({ storageBlocked: "everywhere" });
        try {
          tab = await blocked.newTab();
          await openLogin();
          await waitForState(tab, "oidc-login", "ready");
          bed.takeRequests();
          await tab.click("oidc-login", "[part=button]");
          await waitForState(tab, "oidc-login", "error");
          assert.match(await textOf(tab, "oidc-login"), /doesn’t allow this page to store/);
          assert.equal((await heard()).at(-1)?.code, "storage_unavailable");
          assert.deepEqual(bed.takeRequests(), []);
        } finally {
          await blocked.close();
        }
      },
    );

    it("says so where a part of the library could not be loaded", async () => {
      const query = new URLSearchParams({ homeserver: bed.homeserver });
      await tab.goto(`${bed.pages}/alone.html?${query.toString()}`);
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /couldn’t be loaded/);
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "load_failed" }]);
      const refused = await tab.run<{ name: string; code: string }>(
        "document.querySelector('uia-dialog').attemptAuth().catch(({ name, code }) => ({ name, code }))",
      );
      assert.deepEqual(refused, { name: "UiaError", code: "load_failed" });
    });

    it("works by a page of ten lines", async () => {
      await tab.goto(`${bed.scriptTag}/minimal.html`);
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await tab.waitForTrue("/@alice:/.test(document.body.innerText)");
    });

    it(
      "says nothing in the console, under a strict content security policy",
      needs("reading the console"),
      async () => {
        await signIn();
        assert.deepEqual(tab.warnings, []);
      },
    );
  });

  for (const [discovery, asksIssuer] of [
    ["unstable", false],
    ["auth_issuer", true],
    ["well-known", true],
  ] as const) {
    describe(`to a homeserver that tells its issuer by ${discovery}`, () => {
      withTestbed({ discovery });

      it("finds the provider", async () => {
        await signIn();
        assert.match((await whoami()).user_id, /^@alice:/);
        const [first, second, ...others] = bed.takeRequests();
        assert.deepEqual([first, second], [WELL_KNOWN, STABLE]);
        // Side by side, so in whatever order.
        for (const request of [UNSTABLE, AUTH_ISSUER]) assert.ok(others.includes(request), request);
        assert.equal(others.includes(ISSUER_DOCUMENT), asksIssuer);
      });
    });
  }

  describe("to a homeserver whose issuer has a path", () => {
    withTestbed({ issuerPath: "/realms/demo", discovery: "auth_issuer" });

    it("keeps the path", async () => {
      await signIn();
      assert.equal((await result()).oidcClientSettings.issuer, bed.issuer);
      assert.match(bed.issuer, /\/realms\/demo$/);
      shown("discovery-by-issuer");
    });
  });

  describe("to a homeserver without OpenID Connect", () => {
    withTestbed({ discovery: "none" });

    it("says so by code, and leaves the page its own way", async () => {
      await openLogin();
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /doesn’t support this sign-in method/);
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "oidc_not_supported" }]);
      await tab.run(`{
        const way = Object.assign(document.createElement("a"), { slot: "error-oidc_not_supported" });
        way.textContent = "Sign in with a password";
        document.querySelector("oidc-login").append(way);
      }`);
      assert.match(await textOf(tab, "oidc-login"), /Sign in with a password$/);
    });
  });
});
