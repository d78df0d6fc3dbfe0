import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HomeserverClient, OidcSession } from "matrix-auth-elements/core";
import { INSECURE_HOST, type Driver, type Profile, type Tab } from "./driver/driver.js";
import { needs, recordOperation } from "./driver/engine.js";
import { useFixture } from "./fixture.js";
import { startTestbed, type Testbed, type TestbedOptions } from "./testbed.js";
import {
  assertNoViolations,
  atProvider,
  resourceTimings,
  textOf,
  waitForState,
} from "./user-actions.js";
import { signInWithoutBrowser } from "./without-browser.js";

interface LoginEvent {
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

describe("Signing in", { timeout: 600_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  const withTestbed = (options: TestbedOptions = {}): void =>
    useFixture(
      // A provider without pages needs to forget nobody.
      { servers: "per suite", profile: options.autoApprove ? "per suite" : "per test" },
      () => startTestbed(options),
      (fixture) => ({ driver, bed, profile, tab } = fixture),
    );

  const events = (): Promise<readonly LoginEvent[]> => tab.run("window.events");
  const whoami = (where = tab): Promise<{ user_id: string; device_id: string }> =>
    where.run("document.querySelector('oidc-callback').client.whoami()");
  const loginUrl = (attributes: Record<string, string> = {}, page = "login.html"): string => {
    const query = new URLSearchParams({ homeserver: bed.homeserver, ...attributes });
    return `${bed.pages}/${page}?${query.toString()}`;
  };
  const openLogin = async (attributes?: Record<string, string>, where = tab): Promise<void> => {
    await where.goto(loginUrl(attributes));
    await waitForState(where, "oidc-login", "ready");
    await assertNoViolations(where);
  };
  const goToProvider = async (where = tab): Promise<void> => {
    await where.click("oidc-login", "[part=button]");
    await where.waitFor("[name=username]");
  };
  const waitForSuccess = async (where = tab): Promise<Result> => {
    await waitForState(where, "oidc-callback", "success");
    await where.waitForTrue("window.result !== undefined");
    await assertNoViolations(where);
    return where.run("window.result");
  };
  const waitForError = async (): Promise<void> => {
    await waitForState(tab, "oidc-callback", "error");
    await tab.waitForTrue("window.events.length > 0");
    await assertNoViolations(tab);
  };
  /** Signs in at a provider without pages. */
  const signInAtOnce = async (attributes?: Record<string, string>): Promise<Result> => {
    await openLogin(attributes);
    await tab.click("oidc-login", "[part=button]");
    return waitForSuccess();
  };

  describe("with a homeserver that delegates to a provider", () => {
    withTestbed();

    it("gets tokens for the chosen device that the homeserver accepts", async () => {
      await openLogin({ "device-id": "CHOSENDEVICE" });
      await goToProvider();
      await atProvider.signIn(tab);
      const { tokenResponse, homeserverUrl, oidcClientSettings, idTokenClaims, ...result } =
        await waitForSuccess();
      assert.equal(homeserverUrl, bed.homeserver);
      assert.equal(oidcClientSettings.issuer, bed.issuer);
      assert.equal(idTokenClaims.iss, bed.issuer);
      assert.equal(idTokenClaims.aud, oidcClientSettings.clientId);
      assert.equal(result.deviceId, "CHOSENDEVICE");
      assert.match(result.scope, /urn:matrix:client:api:\*/);
      assert.equal(tokenResponse.token_type, "Bearer");
      assert.ok(tokenResponse.refresh_token);
      assert.ok(tokenResponse.expires_at > Date.now() / 1000);
      const { user_id, device_id } = await whoami();
      assert.match(user_id, /^@alice:/);
      assert.equal(device_id, "CHOSENDEVICE");
      assert.deepEqual(await events(), [{ type: "oidc-success" }]);
      recordOperation("discovery", "registration", "sign-in", "device");
    });

    it("sends the fewest requests, and leaves nothing in URL, storage and console", async () => {
      await openLogin();
      assert.deepEqual(bed.takeRequests(), [WELL_KNOWN, STABLE], "page load to ready");
      await goToProvider();
      assert.deepEqual(bed.takeRequests().slice(0, 2), [REGISTRATION, "GET /authorize"], "click");
      // Long enough that the keys are requested meanwhile.
      bed.faults["/oauth2/token"] = { delayMs: 1000 };
      await atProvider.signIn(tab);
      await waitForSuccess();
      const completing = bed
        .takeRequests()
        .filter((request) => /token|keys|well-known|metadata/.test(request));
      assert.deepEqual(completing.sort(), [KEYS, TOKEN], "callback to tokens");
      const [keys, token] = await resourceTimings(tab, "/keys.json", "/token");
      assert.ok(keys && token && keys.startTime < token.responseEnd, "keys beside the tokens");
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      assert.equal(await tab.run("JSON.stringify({ ...sessionStorage })"), "{}");
      assert.deepEqual(tab.warnings, []);
    });

    it("works after the back button, without another registration", async () => {
      await openLogin();
      await goToProvider();
      await tab.back();
      await waitForState(tab, "oidc-login", "ready");
      bed.takeRequests();
      await goToProvider();
      assert.equal(bed.takeRequests()[0], "GET /authorize");
      await atProvider.signIn(tab);
      await waitForSuccess();
    });

    it("reports oidc-cancel and offers to start again when the user refuses", async () => {
      await openLogin();
      await goToProvider();
      await atProvider.refuse(tab);
      await waitForError();
      assert.deepEqual(await events(), [{ type: "oidc-cancel", reason: "refused" }]);
      assert.match(await textOf(tab, "oidc-callback"), /You did not sign in\..*Start over/);
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      await tab.click("oidc-callback", "[part=start-again]");
      await tab.waitForUrl("/login.html?homeserver=");
      await waitForState(tab, "oidc-login", "ready");
      recordOperation("refusal");
    });

    it("signs in two tabs at the same time, each as its own user", async () => {
      const other = await profile.newTab();
      for (const each of [tab, other]) {
        await openLogin({}, each);
        await goToProvider(each);
      }
      await atProvider.signIn(other, "bob");
      await waitForSuccess(other);
      await atProvider.signIn(tab, "alice");
      await waitForSuccess(tab);
      assert.match((await whoami(tab)).user_id, /^@alice:/);
      assert.match((await whoami(other)).user_id, /^@bob:/);
    });

    it("gets past an error response that the browser has cached", async () => {
      const headers = { "Cache-Control": "public, max-age=600" };
      bed.faults["/auth_metadata"] = { status: 500, body: { errcode: "M_UNKNOWN" }, headers };
      await tab.goto(loginUrl());
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /Something went wrong on/);
      delete bed.faults["/auth_metadata"];
      await tab.reload();
      await waitForState(tab, "oidc-login", "ready");
    });

    it(
      "reports insecure_context on a page over http",
      needs("a page over plain http"),
      async () => {
        await tab.goto(loginUrl().replace("//localhost", `//${INSECURE_HOST}`));
        await waitForState(tab, "oidc-login", "error");
        assert.match(await textOf(tab, "oidc-login"), /secure connection/);
        assert.deepEqual(await events(), [{ type: "oidc-error", code: "insecure_context" }]);
      },
    );

    it(
      "reports storage_unavailable without a request if the browser blocks storage",
      needs("blocked storage"),
      async () => {
        const blocked = await driver.newProfile("everywhere");
        try {
          tab = await blocked.newTab();
          await openLogin();
          bed.takeRequests();
          await tab.click("oidc-login", "[part=button]");
          await waitForState(tab, "oidc-login", "error");
          assert.match(await textOf(tab, "oidc-login"), /doesn’t allow this page to store/);
          assert.equal((await events()).at(-1)?.code, "storage_unavailable");
          assert.deepEqual(bed.takeRequests(), []);
        } finally {
          await blocked.close();
        }
      },
    );

    it("reports load_failed if a part of the library cannot be loaded", async () => {
      await tab.goto(loginUrl({}, "alone.html"));
      await waitForState(tab, "oidc-login", "error");
      assert.match(await textOf(tab, "oidc-login"), /couldn’t be loaded/);
      assert.deepEqual(await events(), [{ type: "oidc-error", code: "load_failed" }]);
      const error = await tab.run<{ name: string; code: string }>(
        "document.querySelector('uia-dialog').attemptAuth().catch(({ name, code }) => ({ name, code }))",
      );
      assert.deepEqual(error, { name: "UiaError", code: "load_failed" });
    });

    it("works for a program that keeps its own state and has the user's browser visit the provider", async () => {
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
      recordOperation("without-browser");
    });
  });

  describe("with a provider that knows the user", () => {
    withTestbed({ autoApprove: "alice" });

    it("keeps the client id for the next login if registration is reuse", async () => {
      const first = await signInAtOnce({ registration: "reuse" });
      bed.takeRequests();
      const second = await signInAtOnce({ registration: "reuse" });
      assert.ok(!bed.takeRequests().includes(REGISTRATION));
      assert.equal(second.oidcClientSettings.clientId, first.oidcClientSettings.clientId);
    });

    it("cleans the URL of a response in the query, and reports flow_unknown when it is used again", async () => {
      await signInAtOnce({ "response-mode": "query" });
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      assert.match((await whoami()).user_id, /^@alice:/);
      bed.takeRequests();
      await tab.reload();
      await waitForError();
      assert.deepEqual(await events(), [{ type: "oidc-error", code: "flow_unknown" }]);
      assert.deepEqual(bed.takeRequests(), []);
      await tab.goto(`${bed.pages}/callback.html?code=used&state=mae-used&keep=this`);
      await waitForError();
      assert.equal(tab.url(), `${bed.pages}/callback.html?keep=this`);
    });

    it("completes on retry if the connection breaks off, and uses the code once", async () => {
      bed.faults["/oauth2/token"] = { drop: true };
      await openLogin();
      await tab.click("oidc-login", "[part=button]");
      await waitForError();
      assert.deepEqual(await events(), [{ type: "oidc-error", code: "network_error" }]);
      assert.match(await textOf(tab, "oidc-callback"), /Can’t reach.*Try again/);
      delete bed.faults["/oauth2/token"];
      bed.faults["/oauth2/keys.json"] = { drop: true };
      bed.takeRequests();
      await tab.click("oidc-callback", "[part=retry]");
      await tab.waitForTrue("window.events.length > 1");
      await waitForError();
      assert.equal(bed.takeRequests().filter((request) => request === TOKEN).length, 1);
      delete bed.faults["/oauth2/keys.json"];
      await tab.click("oidc-callback", "[part=retry]");
      await waitForSuccess();
      assert.ok(!bed.takeRequests().includes(TOKEN), "the code was used");
      assert.match((await whoami()).user_id, /^@alice:/);
    });
  });

  for (const [discovery, asksIssuer] of [
    ["unstable", false],
    ["well-known", true],
  ] as const) {
    describe(`with a homeserver that names its issuer by ${discovery}`, () => {
      withTestbed({ discovery });

      it(`finds the provider by ${discovery}`, async () => {
        await openLogin();
        await goToProvider();
        const [first, second, ...others] = bed.takeRequests();
        assert.deepEqual([first, second], [WELL_KNOWN, STABLE]);
        // Side by side, so in whatever order.
        for (const request of [UNSTABLE, AUTH_ISSUER]) assert.ok(others.includes(request), request);
        assert.equal(others.includes(ISSUER_DOCUMENT), asksIssuer);
      });
    });
  }

  describe("with a homeserver that names an issuer with a path by auth_issuer", () => {
    withTestbed({ issuerPath: "/realms/demo", discovery: "auth_issuer", autoApprove: "alice" });

    it("finds the provider by auth_issuer, and keeps the path of the issuer", async () => {
      const { oidcClientSettings } = await signInAtOnce();
      assert.equal(oidcClientSettings.issuer, bed.issuer);
      assert.match(bed.issuer, /\/realms\/demo$/);
      assert.match((await whoami()).user_id, /^@alice:/);
      assert.ok(bed.takeRequests().some((request) => request.endsWith(ISSUER_DOCUMENT.slice(4))));
      recordOperation("discovery-by-issuer");
    });
  });
});
