// A response to a request with a token is neither stored in the HTTP cache nor taken from there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Tab } from "../e2e/driver/driver.js";
import { useFixture } from "../e2e/fixture.js";
import { type AttackServer, sendJson, startAppPages, startAttackServer } from "./servers.js";
import { SUITE } from "../support/wait-for.mjs";

async function start() {
  // The server, or a proxy in front of it, allows browsers to keep everything.
  const homeserver = await startAttackServer(({ authorization, path }, response) => {
    response.setHeader("Cache-Control", "max-age=3600");
    const user = authorization?.replace("Bearer token-of-", "") ?? "nobody";
    if (path.startsWith("/.well-known/")) {
      return sendJson(response, { "m.homeserver": { base_url: homeserver.origin } });
    }
    sendJson(response, {
      user_id: `@${user}:hs.example`,
      devices: [{ device_id: `DEVICE-OF-${user}` }],
      threepids: [{ medium: "email", address: `${user}@mail.example` }],
      capabilities: { "m.change_password": { enabled: user === "alice" } },
    });
  });
  const pages = await startAppPages();
  return {
    homeserver,
    page: `${pages.origin}/session.html`,
    reset: () => void homeserver.seen.splice(0),
    close: async () => void (await Promise.all([homeserver.close(), pages.close()])),
  };
}

describe("The HTTP cache", SUITE, () => {
  let homeserver: AttackServer;
  let page: string;
  let tab: Tab;
  useFixture({ servers: "per test", profile: "per test" }, start, ({ bed, tab: own }) => {
    ({ homeserver, page } = bed);
    tab = own;
  });

  const open = async (): Promise<void> => {
    await tab.goto(page);
    await tab.waitForTrue("window.isReady");
  };

  /** The response to a user's request, as text. */
  const request = (user: string, call: string): Promise<string> =>
    tab.run(`(async () => {
      const baseUrl = ${JSON.stringify(homeserver.origin)};
      const accessToken = "token-of-${user}";
      const client = new core.HomeserverClient({ baseUrl, accessToken });
      const session = new core.LegacySession({
        homeserverUrl: baseUrl, userId: "@${user}:hs.example", deviceId: "${user}", accessToken,
      });
      return JSON.stringify(await ${call});
    })()`);

  for (const call of [
    "client.whoami()",
    "client.getDevices()",
    "client.getThreePids()",
    "client.getCapabilities()",
    "session.fetch(baseUrl + '/_matrix/client/v3/account/whoami').then((it) => it.json())",
    "session.fetch(baseUrl + '/any/path').then((it) => it.json())",
    "session.fetch(baseUrl + '/any/path', { cache: 'force-cache' }).then((it) => it.json())",
    "session.fetch(new Request(baseUrl + '/x', { cache: 'force-cache' })).then((it) => it.json())",
  ]) {
    it(`isn't used for the next user's ${call}`, async () => {
      await open();
      assert.match(await request("alice", call), /alice|true/);
      await open();
      assert.doesNotMatch(await request("bob", call), /alice|true/);
      assert.equal(homeserver.seen.length, 2);
    });
  }

  it("isn't used for a request without a token after one with a token", async () => {
    await open();
    await request("alice", "session.fetch(baseUrl + '/private').then((it) => it.json())");
    const text = await tab.run<string>(
      `fetch("${homeserver.origin}/private").then((response) => response.text())`,
    );
    assert.match(text, /nobody/);
  });

  it("is used for public documents", async () => {
    await open();
    const discover = `core.discoverHomeserver("${homeserver.origin.slice(7)}").then(JSON.stringify)`;
    const first = await tab.run(discover);
    await open();
    assert.equal(await tab.run(discover), first);
    assert.equal(homeserver.seen.length, 1);
  });
});
