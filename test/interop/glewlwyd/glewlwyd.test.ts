// Signing in with Glewlwyd, a provider that shares no code with the demo's.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import type { AuthorizationCodeGrantResult } from "matrix-auth-elements/core";
import type { Tab } from "../../e2e/driver/driver.js";
import { useBrowser } from "../../e2e/fixture.js";
import {
  Login,
  eventsOf,
  failureOf,
  storedSession,
  type Attributes,
  type LoginServers,
  type Whoami,
} from "../../e2e/login.js";
import { deviceFlows, sessionFlows, signInFlows, type FlowContext } from "../../e2e/login-flows.js";
import { closePopup, waitForState } from "../../e2e/user-actions.js";
import { operationRecorder } from "../../operations/record-operation.js";
import { ALICE } from "./provider.js";
import { startTestbed, type Testbed } from "./testbed.js";
import { atProvider } from "./user-actions.js";
import { SUITE } from "../../support/wait-for.mjs";

const recordOperation = operationRecorder("provider");

type ProviderName = "open" | "closed";

describe("Glewlwyd 2.7.5, in Chromium", SUITE, () => {
  const browser = useBrowser();
  let bed: Testbed;
  let homeserver: Readonly<Record<ProviderName, string>>;
  let servers: LoginServers;
  let tab: Tab;
  let login: Login;

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
    servers = {
      homeserver: homeserver.open,
      issuer: bed.providers["open"]?.issuer ?? "",
      pages: bed.pages,
      provider: {
        signIn: atProvider.signIn,
        allow: (where) => atProvider.allow(where, ["account", "device"]),
        enterCode: atProvider.typeCode,
      },
      user: ALICE.name,
      tokenPath: "/api/open/token",
      keepsAccessTokens: true,
      refusesWithoutReason: true,
      takeRequests: bed.takeRequests,
    };
  });
  after(() => bed.close());
  beforeEach(async () => {
    tab = await browser.profile.newTab();
    login = new Login(servers, tab);
    bed.help({ scopes: true, revocation: true });
    bed.takeRequests();
  });

  const given = (): FlowContext => ({
    servers,
    driver: browser.driver,
    profile: browser.profile,
    tab,
  });
  /** Starts a sign-in, and types the password. */
  const typePassword = async (): Promise<void> => {
    await login.start();
    await atProvider.typePassword(tab, ALICE.password);
  };
  const withToken = async (token: string): Promise<number> => {
    const url = `${homeserver.open}/_matrix/client/v3/account/whoami`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    return response.status;
  };
  /** Starts a sign-in that fails before the user leaves the page. */
  const failAtOnce = async (attributes: Attributes): Promise<string | undefined> => {
    await tab.goto(login.url(attributes));
    await login.click();
    await waitForState(tab, "oidc-login", "error");
    return (await login.outcomes()).at(-1)?.code;
  };

  describe("a sign-in", () => {
    signInFlows(given, recordOperation);

    it("registers the client, and gets an ID token that other code also verifies", async () => {
      const { oidcClientSettings, idTokenClaims, tokenResponse } = await login.signIn();
      assert.ok(bed.takeRequests().includes("POST /api/open/register"));
      const idToken = tokenResponse.id_token ?? "";
      const keys = createRemoteJWKSet(new URL(`${servers.issuer}/jwks`));
      const { payload } = await jwtVerify(idToken, keys, {
        audience: oidcClientSettings.clientId,
        issuer: servers.issuer,
      });
      assert.deepEqual(idTokenClaims, payload);
      assert.equal(decodeProtectedHeader(idToken).alg, "ES256");
    });

    it("registers no client when the page has a client ID, and also accepts RS256", async () => {
      const clientId = await bed.addClient();
      const { oidcClientSettings, tokenResponse } = await login.signIn({
        homeserver: homeserver.closed,
        "client-id": clientId,
      });
      assert.equal(oidcClientSettings.clientId, clientId);
      assert.ok(!bed.takeRequests().some((request) => request.endsWith("/register")));
      assert.equal(decodeProtectedHeader(tokenResponse.id_token ?? "").alg, "RS256");
      assert.match((await login.whoami()).user_id, /^@alice:/);
    });

    it("gets tokens with only the issuer's URL when the page has a client ID", async () => {
      const { issuer = "" } = bed.providers["closed"] ?? {};
      const result = await login.signIn({ issuer, "client-id": await bed.addClient() });
      assert.equal(result.idTokenClaims?.iss, issuer);
      recordOperation("discovery-by-issuer");
    });

    for (const mode of ["fragment", "query"]) {
      it(`reads the response and its iss from the ${mode}`, async () => {
        await login.start({ "response-mode": mode });
        await tab.waitFor("#username");
        const asked = new URL(new URL(await tab.url()).searchParams.get("callback_url") ?? "");
        assert.equal(asked.searchParams.get("response_mode"), mode);
        await atProvider.signIn(tab);
        await login.waitForSuccess();
        assert.equal(await tab.url(), `${bed.pages}/callback.html`);
      });
    }

    it("succeeds after an incorrect password", async () => {
      await login.start();
      await atProvider.typePassword(tab, "not-the-password");
      await tab.waitForTrue("document.body.innerText.includes('Authentication error')");
      await atProvider.signIn(tab);
      await login.waitForSuccess();
      assert.match((await login.whoami()).user_id, /^@alice:/);
    });
  });

  describe("a sign-in that the user allows only partly", () => {
    it("fails with scope_not_granted when the user allows nothing, and can be started again", async () => {
      await typePassword();
      await tab.waitFor("[id^='grant-']");
      await atProvider.continue(tab);
      assert.match(await login.waitForError(), /Start over/);
      assert.deepEqual(await eventsOf(tab), [{ type: "oidc-error", code: "scope_not_granted" }]);
      await tab.click("oidc-callback", "[part=start-again]");
      await tab.waitForUrl("/login.html?homeserver=");
    });

    it("gets tokens without a device, which can be refreshed, when the user allows only the account", async () => {
      await typePassword();
      await atProvider.allow(tab, ["account"]);
      const { scope } = await login.waitForSuccess();
      assert.equal(scope, "openid urn:matrix:client:api:*");
      assert.equal((await login.whoami()).device_id, undefined);
      await tab.run(`import("/dist/cdn/core.js").then(({ OidcSession }) =>
          new OidcSession(window.result).refresh())`);
    });

    it("gets a second device for a known client only if `prompt` is `consent`", async () => {
      const attributes = { "client-id": await bed.addClient() };
      await login.signIn(attributes);
      await login.start(attributes);
      await atProvider.continue(tab);
      assert.equal((await login.waitForSuccess()).scope, "openid urn:matrix:client:api:*");
      await login.start({ ...attributes, prompt: "consent" });
      await atProvider.allow(tab, ["device"]);
      assert.match((await login.waitForSuccess()).scope, /urn:matrix:client:device:/);
    });

    it("gets tokens without a device when the provider does not support its scope", async () => {
      bed.help({ scopes: false, revocation: true });
      await typePassword();
      await tab.waitForTrue("document.body.innerText.includes('Some scopes aren\\'t available')");
      await atProvider.allow(tab, ["account"]);
      const { scope } = await login.waitForSuccess();
      assert.equal(scope, "openid urn:matrix:client:api:*");
    });
  });

  describe("a sign-in that fails", () => {
    it("dispatches oidc-cancel when the popup is closed", async () => {
      await login.open({ mode: "popup" });
      const popup = await login.clickOpening();
      await popup.waitFor("#username");
      await closePopup(popup, tab);
      assert.deepEqual(await login.outcomes(), [{ type: "oidc-cancel", reason: "closed" }]);
    });

    for (const [whose, attributes] of [
      ["an unknown client", () => ({ "client-id": "nobody" })],
      [
        "a page that the client did not name",
        async () => ({
          "client-id": await bed.addClient(),
          "redirect-uri": "/callback.html?elsewhere",
        }),
      ],
    ] as const) {
      it(`stays on the provider's page for ${whose}, and "Back" returns to a working button`, async () => {
        await login.start(await attributes());
        // The provider's page is empty. A full Chromium shows an error page instead.
        await tab.waitForTrue(
          "document.readyState === 'complete' && !document.querySelector('oidc-login')",
        );
        await tab.back();
        await waitForState(tab, "oidc-login", "ready");
      });
    }

    it("fails with registration_not_supported when the provider registers no client", async () => {
      const code = await failAtOnce({ homeserver: homeserver.closed });
      assert.equal(code, "registration_not_supported");
    });

    it("fails with registration_not_supported when the provider does not announce refresh tokens", async () => {
      assert.equal(await failAtOnce({ issuer: servers.issuer }), "registration_not_supported");
    });

    it("fails with prompt_not_supported when the provider cannot create accounts", async () => {
      assert.equal(await failAtOnce({ prompt: "create" }), "prompt_not_supported");
    });

    it("fails with issuer_unconfirmed when the homeserver names the keys of another provider", async () => {
      const metadata = { jwks_uri: `${bed.providers["both"]?.issuer}/jwks` };
      const code = await failAtOnce({ homeserver: await bed.homeserver("open", metadata) });
      assert.equal(code, "issuer_unconfirmed");
    });
  });

  describe("a homeserver that announces an `iss` which the provider does not send", () => {
    it("does not decide how the response is checked", async () => {
      const metadata = { authorization_response_iss_parameter_supported: true };
      await login.signIn({
        homeserver: await bed.homeserver("closed", metadata),
        "client-id": await bed.addClient(),
      });
    });
  });

  describe("a session", () => {
    sessionFlows(given, recordOperation);

    const refresh = (): Promise<string> => tab.run("session.refresh()");
    const tokens = async (): Promise<AuthorizationCodeGrantResult["tokenResponse"]> =>
      (await storedSession(tab)).tokenResponse;

    it("keeps its refresh token when the provider returns no new one", async () => {
      await login.signInForSession({
        homeserver: homeserver.closed,
        "client-id": await bed.addClient("/kept.html"),
      });
      const first = await tokens();
      await refresh();
      await refresh();
      const { refresh_token, access_token } = await tokens();
      assert.equal(refresh_token, first.refresh_token);
      assert.notEqual(access_token, first.access_token);
      assert.match((await tab.run<Whoami>("whoami()")).user_id, /^@alice:localhost:/);
    });

    // A proxy can reject without an OAuth error. The homeserver must confirm the rejection over a minute.
    it("continues when the provider rejects a refresh without an OAuth error, and reports this", async () => {
      await login.signInForSession();
      const page = await browser.profile.newTab();
      await page.goto(new URL("/login.html", bed.providers["open"]?.issuer).href);
      await atProvider.endAllTokens(page);
      await tab.bringToFront();
      assert.equal(await failureOf(tab, "session.refresh()"), "unexpected_status");
      assert.deepEqual(await eventsOf(tab), []);
      assert.equal(await tab.run("session.state"), "signed-in");
    });

    it("is deleted even if the provider rejects the revocation, and signOut() resolves to false", async () => {
      bed.help({ scopes: true, revocation: false });
      await login.signInForSession();
      const { access_token } = await tokens();
      assert.equal(await tab.run("session.signOut()"), false);
      assert.equal(await tab.run("localStorage.length"), 0);
      assert.equal(await withToken(access_token), 200);
    });
  });

  describe("an app", () => {
    it("opens the page where the user manages the account", async () => {
      await login.signIn();
      const address = await tab.run<string>(`import("/dist/cdn/core.js").then(async (core) =>
          core.accountManagementUrl(await new core.HomeserverClient({
            baseUrl: ${JSON.stringify(homeserver.open)} }).getAuthMetadata()))`);
      await tab.goto(address);
      await tab.waitForTrue("document.body.innerText.includes('alice')");
      recordOperation("account-links");
    });
  });

  describe("another device", () => {
    const closed = (): FlowContext => ({
      ...given(),
      servers: { ...servers, homeserver: homeserver.closed },
    });
    deviceFlows(closed, recordOperation, {
      variants: ["stable"],
      canRefuse: false,
      getClientId: () => bed.addClient(),
    });
  });

  describe("a provider that lists the device grant, but rejects every client with it", () => {
    it("registers the client without the device grant when the provider rejects it", async () => {
      await login.signIn({ homeserver: await bed.homeserver("both") });
      const asked = bed.takeRequests().filter((request) => request.endsWith("/register"));
      assert.equal(asked.length, 2);
    });
  });
});
