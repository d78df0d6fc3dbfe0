// attachSession() with the real clients of matrix-js-sdk, and a Synapse with a provider.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { startPages } from "../../../demo/server/pages.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { Login, failureOf, moveClock } from "../../e2e/login.js";
import { EXPIRY_MS } from "../../e2e/login-flows.js";
import { folder } from "../../e2e/testbed.js";
import { describeDelegated } from "../delegated/testbed.js";
import type { Loopback } from "../synapse/loopback.js";

const TOKEN = "POST /oauth2/token";
const INTROSPECTION = "/oauth2/introspect";

interface Uploaded {
  readonly progress: { readonly loaded: number; readonly total: number };
  readonly uri: string;
}

describeDelegated("attachSession() of matrix-auth-elements/matrix-js-sdk", (given) => {
  let pages: Loopback;
  let tab: Tab;

  before(async () => {
    pages = await startPages({
      roots: {
        "/": folder("test/e2e/pages"),
        "/dist/": folder("dist"),
        "/client/": folder("test/interop/matrix-js-sdk/dist"),
      },
    });
  });
  after(() => pages.close());

  for (const version of [34, 41, 43]) {
    describe(`matrix-js-sdk ${version}`, () => {
      const open = async (where: Tab): Promise<Tab> => {
        await where.goto(`${pages.origin}/client/client.html?sdk=${version}`);
        await where.waitForTrue("window.isReady");
        return where;
      };
      const whoami = (): Promise<string> =>
        tab.run("client.whoami().then(({ user_id: id }) => id)");
      const upload = (size: number): Promise<Uploaded> => tab.run(`upload(${size})`);
      const start = async (): Promise<void> => {
        await tab.run("client.startClient({ pollTimeout: 1000 }).then(() => null)");
        await tab.waitForTrue("client.isInitialSyncComplete()");
      };
      const events = (): Promise<readonly string[]> => tab.run("events");
      const failure = (call: string): Promise<string> => tab.run(`failure(${call})`);
      const ownUserId = (): string => `@${given.user}:${given.bed.synapse.serverName}`;
      const count = (request: string): number =>
        given.bed.takeRequests().filter((each) => each === request).length;
      /** Synapse caches a token for two minutes, so this one is new. */
      const loseToken = async (): Promise<void> => {
        await tab.run("session.refresh().then(() => null)");
        await given.bed.provider.loseAccessTokens(given.user);
        // The session does not refresh a token that is only seconds old.
        await moveClock(tab, 61_000);
        given.bed.takeRequests();
      };

      beforeEach(async () => {
        tab = await given.profile.newTab();
        const servers = { ...given.bed.loginAs(given.user), pages: pages.origin };
        await new Login(servers, tab).signIn({ "redirect-uri": "/kept.html" });
        // The page requests the user ID after it has reported the sign-in.
        await tab.waitForTrue(
          "localStorage['matrix-auth-elements:session']?.includes('\"userId\":\"@')",
        );
        await open(tab);
        given.bed.takeRequests();
      });
      afterEach(() => {
        const { faults } = given.bed.provider;
        for (const path of Object.keys(faults)) delete faults[path];
      });

      it("lets the client sync, start its encryption, and upload with progress", async () => {
        assert.equal(await whoami(), ownUserId());
        await tab.run("client.initRustCrypto({ useIndexedDB: false }).then(() => null)");
        await start();
        const deviceId = await tab.run<string>("session.user.deviceId");
        // The device's keys are on the homeserver.
        await tab.waitForTrue(`client.downloadKeysForUsers([client.getUserId()]).then(
          ({ device_keys: keys }) => "${deviceId}" in (keys[client.getUserId()] ?? {}))`);
        const { progress, uri } = await upload(300_000);
        assert.match(uri, /^mxc:/);
        assert.deepEqual(progress, { loaded: 300_000, total: 300_000 });
        await tab.run("client.stopClient()");
        assert.deepEqual(await events(), []);
      });

      it("cancels an upload, even before it has started", async () => {
        const early = "const upload = client.uploadContent(new Blob(['text']))";
        const cancelled = await tab.run<unknown>(`(async () => {
          ${early};
          return [client.cancelUpload(upload), await failure(upload), client.cancelUpload(upload)];
        })()`);
        assert.deepEqual(cancelled, [true, "AbortError", false]);
        const whileSending = await tab.run<unknown>(`(async () => {
          let cancel;
          const sending = new Promise((resolve) => (cancel = resolve));
          const upload = client.uploadContent(new Blob([new Uint8Array(40_000_000)]), {
            progressHandler: () => cancel(),
          });
          await sending;
          return [client.cancelUpload(upload), await failure(upload)];
        })()`);
        assert.deepEqual(whileSending, [true, "AbortError"]);
        const byController = await tab.run<unknown>(`(async () => {
          const abortController = new AbortController();
          const upload = client.uploadContent(new Blob(["text"]), { abortController });
          abortController.abort();
          return failure(upload);
        })()`);
        assert.equal(byController, "AbortError");
      });

      it("aborts an upload that is being sent when the session ends", async () => {
        const code = await tab.run<unknown>(`(async () => {
          let begin;
          const sending = new Promise((resolve) => (begin = resolve));
          const upload = failure(client.uploadContent(new Blob([new Uint8Array(40_000_000)]), {
            progressHandler: () => begin(),
          }));
          await sending;
          await session.signOut();
          return upload;
        })()`);
        assert.equal(code, "session_ended");
      });

      it("stops the client immediately with logout(true)", async () => {
        await start();
        const isRunning = await tab.run<unknown>(`(async () => {
          const end = client.logout(true);
          const { clientRunning } = client;
          await end;
          return [clientRunning, session.state];
        })()`);
        assert.deepEqual(isRunning, [false, "signed-out"]);
      });

      it("keeps the client's token current, through its own requests and uploads", async () => {
        const current = "session.accessToken().then((token) => token === client.getAccessToken())";
        await tab.waitForTrue(current);
        await loseToken();
        assert.equal(await whoami(), ownUserId());
        assert.equal(count(TOKEN), 1);
        await tab.waitForTrue(current);

        await loseToken();
        assert.match((await upload(10)).uri, /^mxc:/);
        assert.equal(count(TOKEN), 1);

        // The device was asleep.
        await moveClock(tab, EXPIRY_MS);
        assert.match((await upload(10)).uri, /^mxc:/);
        assert.equal(count(TOKEN), 1);
        await tab.waitForTrue(current);
        assert.ok(!(await events()).includes("logged out"));
      });

      it("keeps the client signed in while the provider is down, and while the account is locked", async () => {
        const { faults } = given.bed.provider;
        await start();
        faults["/oauth2/token"] = {
          status: 503,
          headers: { "Retry-After": "120", "Access-Control-Expose-Headers": "Retry-After" },
        };
        await moveClock(tab, EXPIRY_MS);
        assert.equal(await failure("client.whoami()"), "ConnectionError");
        delete faults["/oauth2/token"];
        await moveClock(tab, 120_000);
        assert.equal(await whoami(), ownUserId());

        faults[INTROSPECTION] = { body: { active: false } };
        await tab.run("session.refresh().then(() => null)");
        assert.equal(await failure("client.whoami()"), "ConnectionError");
        assert.equal(await tab.run("session.state"), "signed-in");
        delete faults[INTROSPECTION];
        await moveClock(tab, EXPIRY_MS);
        assert.equal(await whoami(), ownUserId());
        await tab.run("window.syncState = undefined");
        await tab.waitForTrue("window.syncState === 'SYNCING'");
        assert.deepEqual([...new Set(await events())], ["session-changed"]);
      });

      it("signs out the session in logout(), and stops the clients of all tabs", async () => {
        const second = await open(await given.profile.newTab());
        for (const each of [tab, second]) {
          await each.run("client.startClient().then(() => null)");
          await each.waitForTrue("client.isInitialSyncComplete()");
        }
        given.bed.takeRequests();
        assert.deepEqual(await second.run("client.logout(true)"), {});
        assert.deepEqual(
          given.bed.takeRequests().filter((each) => each.endsWith("/revoke")),
          ["POST /oauth2/revoke", "POST /oauth2/revoke"],
        );
        for (const each of [tab, second]) {
          await each.waitForTrue("events.includes('session-ended')");
          assert.deepEqual(
            await each.run("[session.state, client.clientRunning, client.getAccessToken()]"),
            ["signed-out", false, null],
          );
        }
        assert.equal(await failureOf(tab, "client.uploadContent(new Blob(['']))"), "session_ended");
      });

      it("attaches without a network, and detaches on request", async () => {
        await tab.setOffline(true);
        await moveClock(tab, EXPIRY_MS);
        await tab.run("void detach()");
        await tab.run("void (window.detach = attach(client, session))");
        assert.equal(await tab.run("client.getUserId()"), ownUserId());
        await tab.setOffline(false);
        assert.equal(await whoami(), ownUserId());
        assert.match((await upload(10)).uri, /^mxc:/);

        await tab.run("void detach()");
        await tab.run("session.refresh().then(() => null)");
        assert.notEqual(
          await tab.run("client.getAccessToken()"),
          await tab.run("session.accessToken()"),
        );
        await tab.run("session.signOut().then(() => null)");
        assert.equal(await failure("client.whoami()"), "M_UNKNOWN_TOKEN");
        assert.deepEqual((await events()).at(-1), "logged out");
      });

      it("rejects the client of another user, device, or homeserver, and an ended session", async () => {
        const attach = (change: object): Promise<string> =>
          failureOf(
            tab,
            `Promise.resolve().then(() => attach(create(${JSON.stringify(change)}), session))`,
          ) as Promise<string>;
        for (const change of [
          { baseUrl: "https://other.example" },
          { userId: "@other:example" },
          { deviceId: "OTHER" },
        ]) {
          assert.equal(await attach(change), "settings_invalid");
        }
        await tab.run("session.signOut().then(() => null)");
        assert.equal(await attach({}), "session_ended");
      });
    });
  }
});
