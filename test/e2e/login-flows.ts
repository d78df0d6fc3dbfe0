// The sign-in flows for every provider. They run with the demo's provider, and with real homeservers and
// providers.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  HomeserverClient,
  OidcSession,
  type AuthorizationCodeGrantResult,
} from "matrix-auth-elements/core";
import type { Operation } from "../operations/record-operation.js";
import { waitForTrue, type Driver, type Profile, type Tab } from "./driver/driver.js";
import { inPage } from "./driver/page.js";
import {
  CHANGED,
  ENDED,
  REFUSED,
  Login,
  eventsOf,
  failureOf,
  moveClock,
  openSession,
  storedSession,
  waitForEnd,
  type LoginServers,
  type Whoami,
} from "./login.js";
import { assertNoViolations, waitForClosed, waitForState } from "./user-actions.js";
import { signInWithoutBrowser } from "./without-browser.js";

export interface FlowContext {
  readonly servers: LoginServers;
  readonly driver: Driver;
  readonly profile: Profile;
  readonly tab: Tab;
}

type Given = () => FlowContext;
type Record = (...operations: readonly Operation[]) => void;

const whoamiWith = ({ homeserver }: LoginServers, token: string): Promise<Response> =>
  fetch(`${homeserver}/_matrix/client/v3/account/whoami`, {
    headers: { Authorization: `Bearer ${token}` },
  });
const userIdOf = ({ user, homeserver }: LoginServers): string =>
  `@${user}:${new URL(homeserver).host}`;

export function signInFlows(given: Given, recordOperation: Record): void {
  const start = (): { login: Login; servers: LoginServers; tab: Tab } => {
    const { servers, tab } = given();
    return { login: new Login(servers, tab), servers, tab };
  };

  it("gets tokens that the homeserver accepts, for the device that the page chose", async () => {
    const { login, servers, tab } = start();
    const result = await login.signIn({ "device-id": "CHOSENDEVICE" });
    const { tokenResponse, oidcClientSettings, idTokenClaims, scope } = result;
    assert.equal(result.homeserverUrl, servers.homeserver);
    assert.equal(oidcClientSettings.issuer, servers.issuer);
    assert.equal(idTokenClaims?.iss, servers.issuer);
    assert.deepEqual([idTokenClaims.aud].flat(), [oidcClientSettings.clientId]);
    assert.equal(result.deviceId, "CHOSENDEVICE");
    assert.match(scope, /urn:matrix:client:api:\* urn:matrix:client:device:CHOSENDEVICE/);
    assert.ok(tokenResponse.refresh_token);
    assert.ok(Number(tokenResponse.expires_at) > Date.now() / 1000);
    const { user_id, device_id } = await login.whoami();
    assert.deepEqual([user_id, device_id], [userIdOf(servers), "CHOSENDEVICE"]);
    assert.deepEqual(await login.outcomes(), [{ type: "oidc-success" }]);
    assert.equal(await tab.url(), `${servers.pages}/callback.html`);
    recordOperation("discovery", "registration", "sign-in", "device");
  });

  it("gets tokens in a popup, which closes, and reports success once", async () => {
    const { login, servers, tab } = start();
    await login.open({ mode: "popup" });
    const popup = await login.clickOpening();
    await waitForState(tab, "oidc-login", "waiting");
    await servers.provider.signIn(popup);
    assert.deepEqual(await login.outcomes(), [{ type: "oidc-success" }]);
    assert.equal((await login.whoami("oidc-login")).user_id, userIdOf(servers));
    await waitForState(tab, "oidc-login", "ready");
    await waitForClosed(popup, tab);
    assert.equal(await tab.run("sessionStorage.length"), 0);
    await assertNoViolations(tab);
    assert.deepEqual(tab.warnings, []);
    recordOperation("window");
  });

  it("gets tokens for a program that opens the provider in the user's browser", async () => {
    const { servers, tab } = start();
    const result = await signInWithoutBrowser(servers, tab);
    const session = new OidcSession(result);
    const client = new HomeserverClient({ baseUrl: servers.homeserver, session });
    const { user_id, device_id } = await client.whoami();
    assert.deepEqual([user_id, device_id], [userIdOf(servers), "PROGRAMDEVICE"]);
    assert.notEqual(await session.refresh(), result.tokenResponse.access_token);
    assert.equal((await client.whoami()).user_id, user_id);
    await session.signOut();
    await assert.rejects(client.whoami());
    recordOperation("without-browser");
  });

  it("works after the back button, without another registration", async () => {
    const { login, servers, tab } = start();
    await login.open();
    const registrations = (): number =>
      servers.takeRequests().filter((request) => /POST .*regist/.test(request)).length;
    await login.click();
    await tab.waitForUrl(new URL(servers.issuer).origin);
    await tab.waitFor("[name=username]");
    registrations();
    await tab.back();
    await waitForState(tab, "oidc-login", "ready");
    await login.click();
    await servers.provider.signIn(tab);
    await login.waitForSuccess();
    assert.equal(registrations(), 0);
  });

  it("shows no password form when the user is already signed in to the provider, and chooses another device", async () => {
    const { login, servers, tab } = start();
    const first = await login.signIn();
    await login.start();
    await servers.provider.allow(tab);
    const second = await login.waitForSuccess();
    assert.notEqual(second.deviceId, first.deviceId);
    assert.equal((await login.whoami()).device_id, second.deviceId);
  });
}

/** For providers whose pages let a user decline, and create an account. */
export function choiceFlows(given: Given, recordOperation: Record): void {
  for (const mode of ["redirect", "popup"]) {
    it(`dispatches oidc-cancel, stores nothing, and can be started again, when the user declines (${mode})`, async () => {
      const { servers, tab } = given();
      const login = new Login(servers, tab, { mode });
      await login.open();
      const popup = mode === "popup" ? await login.clickOpening() : undefined;
      if (!popup) await login.click();
      await servers.provider.refuse?.(popup ?? tab);
      const text = popup ? "" : await login.waitForError();
      assert.deepEqual(await login.outcomes(), [{ type: "oidc-cancel", reason: "refused" }]);
      assert.ok(!servers.takeRequests().includes(`POST ${servers.tokenPath}`));
      assert.equal(await tab.run("localStorage.length"), 0);
      if (!popup) {
        assert.match(text, /Sign-in was cancelled\..*Start over/);
        assert.equal(await tab.url(), `${servers.pages}/callback.html`);
        await tab.click("oidc-callback", "[part=start-again]");
        await tab.waitForUrl("/login.html?homeserver=");
      }
      await waitForState(tab, "oidc-login", "ready");
      if (popup) await login.clickOpening();
      recordOperation("refusal");
    });
  }

  it("gets tokens for an account that the user creates during the sign-in", async () => {
    const { servers, tab } = given();
    const login = new Login(servers, tab);
    const user = `${servers.user}-new`;
    await login.start({ prompt: "create" });
    await servers.provider.createAccount?.(tab, user);
    await login.waitForSuccess();
    assert.equal((await login.whoami()).user_id, userIdOf({ ...servers, user }));
    recordOperation("create");
  });
}

/** The time after which an access token has expired. */
export const EXPIRY_MS = 6 * 60_000;

export function sessionFlows(given: Given, recordOperation: Record): void {
  const begin = async (): Promise<LoginServers> => {
    const { servers, tab } = given();
    await new Login(servers, tab).signInForSession();
    return servers;
  };
  const openSecondTab = async (): Promise<Tab> => {
    const { servers, profile } = given();
    return openSession(servers, await profile.newTab());
  };
  const tokenRequests = ({ takeRequests, tokenPath }: LoginServers): number =>
    takeRequests().filter((request) => request === `POST ${tokenPath}`).length;
  /** Uses a refresh token like an attacker who has stolen it. */
  const refreshElsewhere = (
    { tokenPath, issuer }: LoginServers,
    { tokenResponse, oidcClientSettings }: Awaited<ReturnType<typeof storedSession>>,
  ): Promise<Response> =>
    fetch(new URL(tokenPath, issuer), {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: tokenResponse.refresh_token ?? "",
        client_id: oidcClientSettings.clientId,
      }),
    });
  const assertForgotten = async (tab: Tab): Promise<void> => {
    assert.equal(await tab.run("session.state"), "signed-out");
    assert.equal(await failureOf(tab, "session.accessToken()"), "session_ended");
    assert.equal(await tab.run("localStorage.length"), 0);
  };

  it("refreshes its tokens each time they expire, after reloads too, and uses each refresh token once", async () => {
    const servers = await begin();
    const { tab } = given();
    const used = new Set<string | undefined>();
    for (const times of [1, 2]) {
      used.add((await storedSession(tab)).tokenResponse.refresh_token);
      await tab.reload();
      await tab.waitForTrue("window.isReady");
      await moveClock(tab, times * EXPIRY_MS);
      assert.equal((await tab.run<Whoami>("whoami()")).user_id, userIdOf(servers));
      assert.equal(tokenRequests(servers), 1);
      assert.deepEqual(await eventsOf(tab), [CHANGED]);
    }
    used.add((await storedSession(tab)).tokenResponse.refresh_token);
    assert.equal(used.size, 3);
    recordOperation("refresh");
  });

  it("refreshes its tokens once when two tabs need new ones at the same time", async () => {
    const servers = await begin();
    const tabs = [given().tab, await openSecondTab()];
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(tabs.map((tab) => moveClock(tab, EXPIRY_MS)));
      servers.takeRequests();
      await Promise.all(tabs.map((tab) => tab.run("whoami()")));
      assert.equal(tokenRequests(servers), 1, `token requests of round ${round}`);
      for (const tab of tabs) await tab.waitForTrue(`window.events.length === ${round}`);
    }
  });

  it("ends once in every tab when a refresh token is used a second time", async () => {
    const servers = await begin();
    const { tab } = given();
    const stored = await storedSession(tab);
    const second = await openSecondTab();
    await tab.run("session.refresh().then(() => null)");
    const token = await tab.run<string>("session.accessToken()");
    assert.equal((await whoamiWith(servers, token)).status, 200);
    assert.equal((await refreshElsewhere(servers, stored)).status, 400);
    if (servers.keepsSession) {
      assert.equal(await failureOf(tab, "session.refresh()"), null);
      await second.waitForTrue("window.events.length === 2");
      assert.deepEqual(await eventsOf(second), [CHANGED, CHANGED]);
      return;
    }
    assert.equal(await failureOf(tab, "session.refresh()"), "session_ended");
    for (const each of [tab, second]) assert.deepEqual(await waitForEnd(each), [CHANGED, REFUSED]);
    assert.equal((await whoamiWith(servers, token)).status, 401);
    await assertForgotten(tab);
    await tab.reload();
    await tab.waitForTrue("window.isReady");
    assert.equal(await tab.run("window.session === undefined"), true);
  });

  it("ends in every tab, and revokes its tokens, when the user signs out", async () => {
    const servers = await begin();
    const { tab } = given();
    const stored = await storedSession(tab);
    const second = await openSecondTab();
    const token = await tab.run<string>("session.accessToken()");
    assert.equal((await whoamiWith(servers, token)).status, 200);
    assert.equal(await tab.run("session.signOut()"), true);
    for (const each of [tab, second]) assert.deepEqual(await waitForEnd(each), [ENDED]);
    assert.equal(await failureOf(second, "session.accessToken()"), "session_ended");
    await assertForgotten(tab);
    await waitForTrue("the token's end at the homeserver", async () => {
      const { errcode } = (await (await whoamiWith(servers, token)).json()) as { errcode?: string };
      return errcode === "M_UNKNOWN_TOKEN";
    });
    assert.equal((await refreshElsewhere(servers, stored)).status, 400);
    recordOperation("sign-out");
  });
}

declare global {
  interface Window {
    /** The sign-in that waits for a user on another device. */
    waiting: Promise<AuthorizationCodeGrantResult>;
  }
}

/** Starts a sign-in with a code on the page of the session. */
async function startDeviceGrant(
  homeserverUrl: string,
  client: Readonly<{ uri: string | undefined; unstable: boolean }>,
) {
  const { core } = window;
  const metadata = await new core.HomeserverClient({ baseUrl: homeserverUrl }).getAuthMetadata();
  const app = {
    clientName: "Television",
    clientUri: client.uri ?? location.origin,
    redirectUris: [location.href],
  } as const;
  const clientId = await core.registerOidcClient(metadata, app);
  const scope = core.generateScope(undefined, { openid: false, unstable: client.unstable });
  const codes = await core.startDeviceAuthorization({ metadata, clientId, scope });
  // Polls each second, to make the test faster.
  const session = { ...codes, interval: 1 };
  const grant = { session, metadata, clientId, homeserverUrl };
  window.waiting = core.completeDeviceAuthorizationGrant(grant);
  window.waiting.catch(() => undefined);
  return codes;
}

/** For providers that let the user confirm a code on another device. */
export function deviceFlows(given: Given, recordOperation: Record): void {
  /** Shows a code on the page of the session, and has the user enter it on another device. */
  const enterCode = async (
    scopes: "stable" | "unstable",
  ): Promise<{ other: Tab; phone: Profile }> => {
    const { servers, tab, driver } = given();
    await openSession(servers, tab);
    const { homeserver, clientUri } = servers;
    const client = { uri: clientUri, unstable: scopes === "unstable" };
    const codes = await inPage(tab, startDeviceGrant, homeserver, client);
    const phone = await driver.newProfile();
    const other = await phone.newTab();
    await other.goto(codes.verification_uri);
    await servers.provider.enterCode?.(other, codes.user_code);
    return { other, phone };
  };

  for (const scopes of ["stable", "unstable"] as const) {
    it(`gets refreshable tokens with a code that the user confirms on another device (${scopes} scopes)`, async () => {
      const { servers, tab } = given();
      const { other, phone } = await enterCode(scopes);
      await servers.provider.signIn(other);
      await tab.run("waiting.then((result) => hold(new core.OidcSession(result)))");
      const { user_id, device_id } = await tab.run<Whoami>("whoami()");
      assert.equal(user_id, userIdOf(servers));
      assert.equal(device_id, await tab.run("session.user.deviceId"));
      const token = await tab.run("session.accessToken()");
      assert.notEqual(await tab.run("session.refresh()"), token);
      assert.equal((await tab.run<Whoami>("whoami()")).device_id, device_id);
      await phone.close();
      recordOperation("device-grant");
    });
  }

  it("rejects with access_denied when the user declines a code on another device", async () => {
    const { servers, tab } = given();
    const { other, phone } = await enterCode("stable");
    await servers.provider.refuse?.(other);
    assert.equal(await failureOf(tab, "waiting"), "access_denied");
    await phone.close();
  });
}
