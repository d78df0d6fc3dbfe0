import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signInWithLoopback } from "matrix-auth-elements/node";
import { INSECURE_HOST, type Driver, type Profile, type Tab } from "./driver/driver.js";
import { needs, recordOperation, sameInEveryEngine } from "./driver/engine.js";
import { useFixture } from "./fixture.js";
import { startTestbed, type Testbed, type TestbedOptions } from "./testbed.js";
import { Login, eventsOf } from "./login.js";
import { choiceFlows, signInFlows, type FlowContext } from "./login-flows.js";
import { atProvider, resourceTimings, waitForState, waitForText } from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const WELL_KNOWN = "GET /.well-known/matrix/client";
const STABLE = "GET /_matrix/client/v1/auth_metadata";
const ISSUER_DOCUMENT = "GET /.well-known/openid-configuration";
const REGISTRATION = "POST /oauth2/registration";
const TOKEN = "POST /oauth2/token";
const KEYS = "GET /oauth2/keys.json";

describe("Signing in", SUITE, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;
  let login: Login;

  const withTestbed = (options: TestbedOptions = {}): void =>
    useFixture(
      // With `autoApprove`, tests do not depend on the user's session with the provider, so they share a profile.
      { servers: "per suite", profile: options.autoApprove ? "per suite" : "per test" },
      () => startTestbed(options),
      (fixture) => {
        ({ driver, bed, profile, tab } = fixture);
        login = new Login(bed, tab);
      },
    );
  const goToProvider = async (where = tab): Promise<void> => {
    await where.click("oidc-login", "[part=button]");
    await where.waitFor("[name=username]");
  };

  describe("with a homeserver that delegates to a provider", () => {
    withTestbed();
    const given = (): FlowContext => ({ servers: bed, driver, profile, tab });
    signInFlows(given, recordOperation);
    choiceFlows(given, recordOperation);

    it(
      "signs a program's user in with signInWithLoopback(), and keeps its page",
      sameInEveryEngine,
      async () => {
        const { session, result } = await signInWithLoopback({
          homeserver: bed.homeserver,
          clientMetadata: { clientUri: "https://program.example" },
          open: async (url) => {
            await tab.goto(url);
            await bed.provider.signIn(tab);
          },
        });
        await tab.waitForTrue(`document.body?.innerText.includes("You can close this window")`);
        assert.match(await tab.url(), /^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
        assert.notEqual(await session.refresh(), result.tokenResponse.access_token);
        await assert.rejects(fetch(await tab.url()));
        assert.deepEqual(tab.warnings, []);
      },
    );

    it("sends the fewest possible requests, and leaves nothing in the URL, the storage, or the console", async () => {
      await login.open();
      const loading = bed.takeRequests();
      await goToProvider();
      const clicking = bed.takeRequests();
      // It may arrive after the element is ready, but before the page is left.
      const isDocument = (request: string) => request === ISSUER_DOCUMENT;
      const left = clicking.findIndex((request) => request.startsWith("GET /authorize"));
      const before = [...loading, ...clicking.slice(0, left)];
      assert.equal(before.filter(isDocument).length, 1, "the issuer's document");
      const others = before.filter((request) => !isDocument(request));
      assert.deepEqual(others, [WELL_KNOWN, STABLE, REGISTRATION], "page load to provider");
      // The delay is long enough for the request for the keys.
      bed.faults["/oauth2/token"] = { delayMs: 1000 };
      await atProvider.signIn(tab);
      await login.waitForSuccess();
      const completing = bed
        .takeRequests()
        .filter((request) => /token|keys|well-known|metadata/.test(request));
      assert.deepEqual(completing.sort(), [KEYS, TOKEN], "callback to tokens");
      const [keys, token] = await resourceTimings(tab, "/keys.json", "/token");
      assert.ok(
        keys && token && keys.startTime < token.responseEnd,
        "keys in parallel with the tokens",
      );
      assert.equal(await tab.url(), `${bed.pages}/callback.html`);
      assert.equal(await tab.run("JSON.stringify({ ...sessionStorage })"), "{}");
      assert.deepEqual(tab.warnings, []);
    });

    it("in a tab that did not start the sign-in, uses no code, shows how to continue, and signs in after Start over", async () => {
      await login.open();
      await goToProvider(tab);
      const other = new Login(bed, await profile.newTab());
      // Like a link in the provider's email.
      await other.tab.goto(await tab.url());
      bed.takeRequests();
      await atProvider.signIn(other.tab);
      assert.match(
        await other.waitForError(),
        /No sign-in is in progress.* open in another tab\. Start over$/,
      );
      assert.deepEqual(await eventsOf(other.tab), [{ type: "oidc-error", code: "flow_unknown" }]);
      assert.ok(!bed.takeRequests().includes(TOKEN));
      await other.start();
      await atProvider.allow(other.tab);
      await other.waitForSuccess();
    });

    it(
      "signs in two tabs at the same time, each as a different user",
      sameInEveryEngine,
      async () => {
        const other = new Login(bed, await profile.newTab());
        for (const each of [login, other]) {
          await each.open();
          await goToProvider(each.tab);
        }
        await atProvider.signIn(other.tab, "bob");
        await other.waitForSuccess();
        await atProvider.signIn(tab, "alice");
        await login.waitForSuccess();
        assert.match((await login.whoami()).user_id, /^@alice:/);
        assert.match((await other.whoami()).user_id, /^@bob:/);
      },
    );

    it("bypasses an error response that the browser has cached", async () => {
      const headers = { "Cache-Control": "public, max-age=600" };
      bed.faults["/auth_metadata"] = { status: 500, body: { errcode: "M_UNKNOWN" }, headers };
      await tab.goto(login.url());
      await login.click();
      await waitForState(tab, "oidc-login", "error");
      await waitForText(tab, "oidc-login", /Something went wrong on/);
      delete bed.faults["/auth_metadata"];
      await tab.reload();
      await waitForState(tab, "oidc-login", "ready");
    });

    it("reports insecure_context on an HTTP page", needs("a page over plain http"), async () => {
      await tab.goto(login.url().replace("//localhost", `//${INSECURE_HOST}`));
      await login.click();
      await waitForState(tab, "oidc-login", "error");
      await waitForText(tab, "oidc-login", /secure connection/);
      assert.deepEqual(await eventsOf(tab), [
        { type: "oidc-login-start" },
        { type: "oidc-error", code: "insecure_context" },
      ]);
    });

    it(
      "reports storage_unavailable without a request if the browser blocks storage",
      needs("blocked storage"),
      async () => {
        const blocked = await driver.newProfile("everywhere");
        try {
          tab = await blocked.newTab();
          await new Login(bed, tab).open();
          bed.takeRequests();
          await tab.click("oidc-login", "[part=button]");
          await waitForState(tab, "oidc-login", "error");
          await waitForText(tab, "oidc-login", /is blocking site data/);
          assert.equal((await eventsOf(tab)).at(-1)?.code, "storage_unavailable");
          assert.deepEqual(bed.takeRequests(), []);
        } finally {
          await blocked.close();
        }
      },
    );

    it("reports load_failed if a part of the library cannot be loaded", async () => {
      await tab.goto(login.url({}, "alone.html"));
      await login.click();
      await waitForState(tab, "oidc-login", "error");
      await waitForText(tab, "oidc-login", /couldn’t be loaded/);
      assert.deepEqual(await eventsOf(tab), [{ type: "oidc-error", code: "load_failed" }]);
      const error = await tab.run<{ name: string; code: string }>(
        "document.querySelector('uia-dialog').attemptAuth().catch(({ name, code }) => ({ name, code }))",
      );
      assert.deepEqual(error, { name: "UiaError", code: "load_failed" });
    });
  });

  describe("with a provider that the user is signed in to", () => {
    withTestbed({ autoApprove: "alice" });

    it(
      "keeps the client ID for the next sign-in with registration=reuse",
      sameInEveryEngine,
      async () => {
        const first = await login.signIn({ registration: "reuse" });
        bed.takeRequests();
        const second = await login.signIn({ registration: "reuse" });
        assert.ok(!bed.takeRequests().includes(REGISTRATION));
        assert.equal(second.oidcClientSettings.clientId, first.oidcClientSettings.clientId);
      },
    );

    it("removes a response in the query from the URL, and reports flow_unknown when it is used again", async () => {
      await login.signIn({ "response-mode": "query" });
      assert.equal(await tab.url(), `${bed.pages}/callback.html`);
      assert.match((await login.whoami()).user_id, /^@alice:/);
      bed.takeRequests();
      await tab.reload();
      await login.waitForError();
      assert.deepEqual(await eventsOf(tab), [{ type: "oidc-error", code: "flow_unknown" }]);
      assert.deepEqual(bed.takeRequests(), []);
      await tab.goto(`${bed.pages}/callback.html?code=used&state=mae-used&keep=this`);
      await login.waitForError();
      assert.equal(await tab.url(), `${bed.pages}/callback.html?keep=this`);
    });

    it("completes on retry if the connection breaks off, and uses the code once", async () => {
      bed.faults["/oauth2/token"] = { drop: true };
      await login.open();
      await tab.click("oidc-login", "[part=button]");
      await login.waitForError();
      assert.deepEqual(await eventsOf(tab), [{ type: "oidc-error", code: "network_error" }]);
      await waitForText(tab, "oidc-callback", /Can’t reach.*Try again/);
      delete bed.faults["/oauth2/token"];
      bed.faults["/oauth2/keys.json"] = { drop: true };
      bed.takeRequests();
      await tab.click("oidc-callback", "[part=retry]");
      await tab.waitForTrue("window.events.length > 1");
      await login.waitForError();
      assert.equal(bed.takeRequests().filter((request) => request === TOKEN).length, 1);
      delete bed.faults["/oauth2/keys.json"];
      await tab.click("oidc-callback", "[part=retry]");
      await login.waitForSuccess();
      assert.ok(!bed.takeRequests().includes(TOKEN), "the code was used");
      assert.match((await login.whoami()).user_id, /^@alice:/);
    });
  });

  describe("with a homeserver whose auth_issuer names an issuer with a path", () => {
    withTestbed({ issuerPath: "/realms/demo", discovery: "auth_issuer", autoApprove: "alice" });

    it("finds the provider through auth_issuer, and keeps the issuer's path", async () => {
      const { oidcClientSettings } = await login.signIn();
      assert.equal(oidcClientSettings.issuer, bed.issuer);
      assert.match(bed.issuer, /\/realms\/demo$/);
      assert.match((await login.whoami()).user_id, /^@alice:/);
      assert.ok(bed.takeRequests().some((request) => request.endsWith(ISSUER_DOCUMENT.slice(4))));
      recordOperation("discovery-by-issuer");
    });
  });
});
