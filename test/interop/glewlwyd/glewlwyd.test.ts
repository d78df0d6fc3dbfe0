// Signing in with Glewlwyd, a provider that has nothing in common with the demo's but the specifications.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { startChromium } from "../../e2e/driver/chromium.js";
import type { Driver, Profile, Tab } from "../../e2e/driver/driver.js";
import { signInWithoutBrowser } from "../../e2e/without-browser.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { waitForState, textOf, waitForClosed } from "../../e2e/user-actions.js";
import { atProvider } from "./user-actions.js";
import { ALICE } from "./provider.js";
import { startTestbed, type Testbed } from "./testbed.js";

const recordOperation = operationRecorder("provider");

interface Heard {
  readonly type: string;
  readonly code?: string;
  readonly reason?: string;
  readonly softLogout?: boolean;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

interface Result {
  readonly deviceId: string;
  readonly scope: string;
  readonly tokenResponse: Tokens;
  readonly oidcClientSettings: { readonly clientId: string; readonly issuer: string };
  readonly idTokenClaims: Readonly<Record<string, unknown>>;
}

type ProviderName = "open" | "closed";

describe("Glewlwyd 2.7.5, in Chromium", { timeout: 600_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let homeserver: Readonly<Record<ProviderName, string>>;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    bed = await startTestbed({
      open: { alg: "ES256", rotates: true, saysWho: true, registers: true, device: false },
      closed: { alg: "RS256", rotates: false, saysWho: false, registers: false, device: true },
      both: { alg: "ES256", rotates: true, saysWho: true, registers: true, device: true },
    });
    homeserver = {
      open: await bed.homeserver("open"),
      closed: await bed.homeserver("closed"),
    };
    driver = await startChromium();
  });
  after(() => Promise.all([driver.close(), bed.close()]));
  beforeEach(async () => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
    bed.help({ scopes: true, revocation: true });
    bed.takeRequests();
  });
  afterEach(() => profile.close());

  type Attributes = Readonly<Record<string, string>>;

  const openLogin = async (attributes: Attributes): Promise<void> => {
    const query = new URLSearchParams(attributes).toString();
    await tab.goto(`${bed.pages}/login.html?${query}`);
  };
  /** Opens the page with the button, and clicks that. */
  const start = async (attributes: Attributes): Promise<void> => {
    await openLogin(attributes);
    await waitForState(tab, "oidc-login", "ready");
    await tab.click("oidc-login", "[part=button]");
  };
  const signIn = async (
    attributes: Attributes = { homeserver: homeserver.open },
  ): Promise<Result> => {
    await start(attributes);
    await atProvider.signIn(tab);
    return arrive();
  };
  /** The user is back, and signed in. */
  const arrive = async (): Promise<Result> => {
    await tab.waitForUrl("/callback.html");
    await tab.waitForTrue("window.events?.length > 0");
    assert.deepEqual(await heard(), [{ type: "oidc-success" }]);
    return tab.run("window.result");
  };
  /** The user is back, and is told why it went wrong. */
  const fail = async (): Promise<string> => {
    await tab.waitForUrl("/callback.html");
    await waitForState(tab, "oidc-callback", "error");
    return textOf(tab, "oidc-callback");
  };
  const heard = (where = tab): Promise<readonly Heard[]> => where.run("window.events");
  const whoami = (): Promise<{ user_id: string; device_id: string }> =>
    tab.run("document.querySelector('oidc-callback').client.whoami()");
  const withToken = async (token: string): Promise<number> => {
    const url = `${homeserver.open}/_matrix/client/v3/account/whoami`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    return response.status;
  };

  describe("a login", () => {
    it("registers the client and gets tokens that the homeserver accepts", async () => {
      const { oidcClientSettings, idTokenClaims, deviceId, scope, tokenResponse } = await signIn();
      const { issuer } = bed.providers["open"] ?? {};
      assert.equal(oidcClientSettings.issuer, issuer);
      assert.ok(bed.takeRequests().includes("POST /api/open/register"));
      assert.match(scope, /urn:matrix:client:api:\*/);
      assert.equal(tab.url(), `${bed.pages}/callback.html`);
      const { user_id, device_id } = await whoami();
      assert.match(user_id, /^@alice:localhost:/);
      assert.equal(device_id, deviceId);

      // What the page verified is verified here too, by other code.
      const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
      const { payload } = await jwtVerify(tokenResponse.id_token, keys, {
        audience: oidcClientSettings.clientId,
        ...(issuer !== undefined && { issuer }),
      });
      assert.deepEqual(idTokenClaims, payload);
      assert.equal(decodeProtectedHeader(tokenResponse.id_token).alg, "ES256");
      recordOperation("discovery", "registration", "sign-in");
    });

    it("gets tokens for the device that the page chose", async () => {
      const { deviceId } = await signIn({
        homeserver: homeserver.open,
        "device-id": "CHOSENDEVICE",
      });
      assert.equal(deviceId, "CHOSENDEVICE");
      assert.equal((await whoami()).device_id, "CHOSENDEVICE");
      recordOperation("device");
    });

    it("gets tokens for a program that uses the user's browser", async () => {
      const { tokenResponse } = await signInWithoutBrowser(homeserver.open, tab, atProvider.signIn);
      assert.equal(await withToken(tokenResponse.access_token), 200);
      recordOperation("without-browser");
    });

    it("registers no client when the page has a client id, and accepts RS256 as well", async () => {
      const clientId = await bed.addClient();
      const { oidcClientSettings, tokenResponse } = await signIn({
        homeserver: homeserver.closed,
        "client-id": clientId,
      });
      assert.equal(oidcClientSettings.clientId, clientId);
      assert.ok(!bed.takeRequests().some((request) => request.endsWith("/register")));
      assert.equal(decodeProtectedHeader(tokenResponse.id_token).alg, "RS256");
      assert.match((await whoami()).user_id, /^@alice:/);
    });

    it("gets tokens by the issuer's URL alone when the page has a client id", async () => {
      const { issuer = "" } = bed.providers["closed"] ?? {};
      const result = await signIn({ issuer, "client-id": await bed.addClient() });
      assert.equal(result.idTokenClaims["iss"], issuer);
      recordOperation("discovery-by-issuer");
    });

    for (const mode of ["fragment", "query"]) {
      it(`reads the response and its iss from the ${mode}`, async () => {
        await start({ homeserver: homeserver.open, "response-mode": mode });
        await tab.waitFor("#username");
        const asked = new URL(new URL(tab.url()).searchParams.get("callback_url") ?? "");
        assert.equal(asked.searchParams.get("response_mode"), mode);
        await atProvider.signIn(tab);
        await arrive();
        assert.equal(tab.url(), `${bed.pages}/callback.html`);
      });
    }

    it("gets tokens in a popup, which closes", async () => {
      await openLogin({ homeserver: homeserver.open, mode: "popup" });
      await waitForState(tab, "oidc-login", "ready");
      const window = await tab.clickOpening("oidc-login", "[part=button]");
      await atProvider.signIn(window);
      await tab.waitForTrue("window.events.some(({ type }) => type === 'oidc-success')");
      await waitForClosed(window, tab);
      recordOperation("window");
    });

    it("succeeds after an incorrect password", async () => {
      await start({ homeserver: homeserver.open });
      await atProvider.typePassword(tab, "not-the-password");
      await tab.waitForTrue("document.body.innerText.includes('Authentication error')");
      await atProvider.signIn(tab);
      await arrive();
      assert.match((await whoami()).user_id, /^@alice:/);
    });

    it("asks for no password when the user is signed in at the provider", async () => {
      await signIn();
      await start({ homeserver: homeserver.open });
      await atProvider.allow(tab, ["account", "device"]);
      await arrive();
    });

    it("can start again when the user has come back by the back button", async () => {
      await start({ homeserver: homeserver.open });
      await tab.waitFor("#username");
      await tab.back();
      await waitForState(tab, "oidc-login", "ready");
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab);
      await arrive();
    });
  });

  describe("a login that the user allows in part", () => {
    it("fails with scope_not_granted when the user allows nothing, and can be started again", async () => {
      await start({ homeserver: homeserver.open });
      await atProvider.typePassword(tab, ALICE.password);
      await tab.waitFor("[id^='grant-']");
      await atProvider.continue(tab);
      assert.match(await fail(), /Start over/);
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "scope_not_granted" }]);
      await tab.click("oidc-callback", "[part=start-again]");
      await tab.waitForUrl("/login.html?homeserver=");
    });

    it("gets tokens without a device, which can be refreshed, when the user allows only the account", async () => {
      await start({ homeserver: homeserver.open });
      await atProvider.typePassword(tab, ALICE.password);
      await atProvider.allow(tab, ["account"]);
      const { scope } = await arrive();
      assert.equal(scope, "openid urn:matrix:client:api:*");
      assert.equal((await whoami()).device_id, undefined);
      await tab.run(`import("/dist/cdn/core.js").then(({ OidcSession }) =>
          new OidcSession(window.result).refresh())`);
    });

    it("gets no second device for a known client, unless `prompt` is `consent`", async () => {
      const attributes = { homeserver: homeserver.open, "client-id": await bed.addClient() };
      await signIn(attributes);
      await start(attributes);
      await atProvider.continue(tab);
      assert.equal((await arrive()).scope, "openid urn:matrix:client:api:*");
      await start({ ...attributes, prompt: "consent" });
      await atProvider.allow(tab, ["device"]);
      assert.match((await arrive()).scope, /urn:matrix:client:device:/);
    });

    it("gets tokens without a device when the provider does not know its scope", async () => {
      bed.help({ scopes: false, revocation: true });
      await start({ homeserver: homeserver.open });
      await atProvider.typePassword(tab, ALICE.password);
      await tab.waitForTrue("document.body.innerText.includes('Some scopes aren\\'t available')");
      await atProvider.allow(tab, ["account"]);
      const { scope } = await arrive();
      assert.equal(scope, "openid urn:matrix:client:api:*");
    });
  });

  describe("a login that fails", () => {
    it("dispatches oidc-cancel when the popup is closed", async () => {
      await openLogin({ homeserver: homeserver.open, mode: "popup" });
      await waitForState(tab, "oidc-login", "ready");
      const window = await tab.clickOpening("oidc-login", "[part=button]");
      await window.waitFor("#username");
      // Sooner it could be a window that is cut off.
      await delay(3500);
      await window.close();
      await tab.waitForTrue("window.events.some(({ type }) => type === 'oidc-cancel')");
      const { reason } = (await heard()).at(-1) ?? {};
      assert.equal(reason, "closed");
    });

    for (const [whose, attributes] of [
      ["a client that it does not know", () => ({ "client-id": "nobody" })],
      [
        "a page that the client did not name",
        async () => ({
          "client-id": await bed.addClient(),
          "redirect-uri": "/callback.html?elsewhere",
        }),
      ],
    ] as const) {
      it(`stays at the provider for ${whose}, and the back button leads to a working button`, async () => {
        await start({ homeserver: homeserver.open, ...(await attributes()) });
        await tab.waitForTrue("location.protocol === 'chrome-error:'");
        await tab.back();
        await waitForState(tab, "oidc-login", "ready");
      });
    }

    it("fails with registration_not_supported when the provider registers no client", async () => {
      await start({ homeserver: homeserver.closed });
      await waitForState(tab, "oidc-login", "error");
      assert.equal((await heard()).at(-1)?.code, "registration_not_supported");
    });

    it("fails with registration_not_supported when the provider does not announce refresh tokens", async () => {
      const { issuer = "" } = bed.providers["open"] ?? {};
      await start({ issuer });
      await waitForState(tab, "oidc-login", "error");
      assert.equal((await heard()).at(-1)?.code, "registration_not_supported");
    });

    it("fails with issuer_mismatch when the response lacks the `iss` that was announced", async () => {
      const metadata = { authorization_response_iss_parameter_supported: true };
      await start({
        homeserver: await bed.homeserver("closed", metadata),
        "client-id": await bed.addClient(),
      });
      await atProvider.signIn(tab);
      await fail();
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "issuer_mismatch" }]);
    });

    it("fails with id_token_signature when another key with the same `kid` has signed the ID token", async () => {
      const { issuer = "" } = bed.providers["both"] ?? {};
      const metadata = { jwks_uri: `${issuer}/jwks` };
      await start({ homeserver: await bed.homeserver("open", metadata) });
      await atProvider.signIn(tab);
      await fail();
      assert.deepEqual(await heard(), [{ type: "oidc-error", code: "id_token_signature" }]);
    });

    it("fails with prompt_not_supported when the provider cannot create accounts", async () => {
      await openLogin({ homeserver: homeserver.open, prompt: "create" });
      await waitForState(tab, "oidc-login", "error");
      assert.equal((await heard()).at(-1)?.code, "prompt_not_supported");
    });
  });

  describe("a session", () => {
    /** The user signs in, and the application keeps the session. */
    const keep = async (attributes?: Attributes): Promise<Tokens> => {
      const { tokenResponse } = await signIn(attributes);
      await tab.run(`import("/dist/cdn/core.js").then(({ OidcSession }) =>
          new OidcSession(window.result, { store: "localStorage" }).stored)`);
      await openApplication(tab);
      bed.takeRequests();
      return tokenResponse;
    };
    const openApplication = async (where: Tab): Promise<void> => {
      await where.goto(`${bed.pages}/session.html?store=localStorage`);
      await where.waitForTrue("window.isReady");
    };
    const refresh = (where = tab): Promise<string> => where.run("session.refresh()");
    const tokens = (): Promise<Tokens> =>
      tab.run("JSON.parse(localStorage.getItem(Object.keys(localStorage)[0])).tokenResponse");
    const failure = (call: string): Promise<string | undefined> =>
      tab.run(`${call}.then(() => null, ({ code }) => code)`);

    it("keeps the new refresh token after each refresh when the provider rotates them", async () => {
      const first = await keep();
      await refresh();
      const second = await tokens();
      await refresh();
      const third = await tokens();
      const all = [first, second, third];
      assert.equal(new Set(all.map(({ refresh_token }) => refresh_token)).size, 3);
      assert.match((await tab.run<{ user_id: string }>("whoami()")).user_id, /^@alice:localhost:/);
      recordOperation("refresh");
    });

    it("keeps its refresh token when the provider returns no other", async () => {
      const first = await keep({
        homeserver: homeserver.closed,
        "client-id": await bed.addClient(),
      });
      await refresh();
      await refresh();
      const { refresh_token, access_token } = await tokens();
      assert.equal(refresh_token, first.refresh_token);
      assert.notEqual(access_token, first.access_token);
      assert.match((await tab.run<{ user_id: string }>("whoami()")).user_id, /^@alice:localhost:/);
    });

    it("is refreshed once when two tabs refresh at once", async () => {
      await keep();
      const second = await profile.newTab();
      await openApplication(second);
      bed.takeRequests();
      await Promise.all([refresh(tab), refresh(second)]);
      const asked = bed.takeRequests().filter((request) => request === "POST /api/open/token");
      assert.equal(asked.length, 1);
      await refresh(second);
    });

    it("ends when a refresh token is used twice, although the error response has no body", async () => {
      await keep();
      const old = await tab.run<string>("localStorage.getItem(Object.keys(localStorage)[0])");
      await refresh();
      await tab.run(
        `void localStorage.setItem(Object.keys(localStorage)[0], ${JSON.stringify(old)})`,
      );
      await tab.reload();
      await tab.waitForTrue("window.isReady");
      assert.equal(await failure("session.refresh()"), "session_ended");
      assert.deepEqual(await heard(), [{ type: "session-ended", softLogout: false }]);
    });

    it("ends when the user has revoked it at the provider", async () => {
      await keep();
      const page = await profile.newTab();
      await page.goto(new URL("/login.html", bed.providers["open"]?.issuer).href);
      await atProvider.endAllTokens(page);
      await tab.bringToFront();
      assert.equal(await failure("session.refresh()"), "session_ended");
      assert.deepEqual(await heard(), [{ type: "session-ended", softLogout: false }]);
    });

    it("revokes its tokens when the user signs out", async () => {
      const { access_token, refresh_token } = await keep();
      assert.equal(await withToken(access_token), 200);
      const clientId = await tab.run<string>(
        "JSON.parse(localStorage.getItem(Object.keys(localStorage)[0])).oidcClientSettings.clientId",
      );
      assert.equal(await tab.run("session.signOut()"), true);
      assert.equal(
        bed.takeRequests().filter((request) => request === "POST /api/open/revoke").length,
        2,
      );
      assert.equal(await tab.run("localStorage.length"), 0);
      assert.equal(await withToken(access_token), 401);
      const { issuer } = bed.providers["open"] ?? {};
      const refused = await fetch(`${issuer}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token,
          client_id: clientId,
        }),
      });
      assert.equal(refused.status, 400);
      recordOperation("sign-out");
    });

    it("is deleted, and signOut() resolves with false, when the provider refuses to revoke it", async () => {
      bed.help({ scopes: true, revocation: false });
      const { access_token } = await keep();
      assert.equal(await tab.run("session.signOut()"), false);
      assert.equal(await tab.run("localStorage.length"), 0);
      assert.equal(await withToken(access_token), 200);
    });
  });

  describe("an application", () => {
    it("opens the page where the user manages the account", async () => {
      await signIn();
      const address = await tab.run<string>(`import("/dist/cdn/core.js").then(async (core) =>
          core.accountManagementUrl(await new core.HomeserverClient({
            baseUrl: ${JSON.stringify(homeserver.open)} }).getAuthMetadata()))`);
      await tab.goto(address);
      await tab.waitForTrue("document.body.innerText.includes('alice')");
      recordOperation("account-links");
    });
  });

  describe("another device", () => {
    it("signs in by a code that the user enters on another device", async () => {
      await tab.goto(`${bed.pages}/session.html?store=localStorage`);
      await tab.waitForTrue("window.isReady");
      await tab.run(`(async () => {
          const baseUrl = ${JSON.stringify(homeserver.closed)};
          const metadata = await new core.HomeserverClient({ baseUrl }).getAuthMetadata();
          const clientId = ${JSON.stringify(await bed.addClient())};
          window.codes = await core.startDeviceAuthorization({ metadata, clientId });
          window.waiting = core.waitForDeviceAuthorization({
            session: codes, metadata, clientId, homeserverUrl: baseUrl,
          });
        })()`);
      const elsewhere = await driver.newProfile();
      const other = await elsewhere.newTab();
      await other.goto(await tab.run<string>("codes.verification_uri"));
      await atProvider.typeCode(other, await tab.run<string>("codes.user_code"));
      await atProvider.signIn(other);
      await tab.run("waiting.then((result) => hold(new core.OidcSession(result)))");
      assert.match((await tab.run<{ user_id: string }>("whoami()")).user_id, /^@alice:/);
      await tab.run("session.refresh().then(() => undefined)");
      await elsewhere.close();
      recordOperation("device-grant");
    });
  });

  describe("a provider that lists the grant for devices, and registers nobody for it", () => {
    it("registers the client without the device grant when the provider refuses it", async () => {
      await signIn({ homeserver: await bed.homeserver("both") });
      const asked = bed.takeRequests().filter((request) => request.endsWith("/register"));
      assert.equal(asked.length, 2);
    });
  });
});
