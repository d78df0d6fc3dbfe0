// A redirect repeats neither a token nor a body on another origin.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import * as core from "matrix-auth-elements/core";
import type { Tab } from "../e2e/driver/driver.js";
import { useFixture } from "../e2e/fixture.js";
import { type AttackServer, sendJson, startAppPages, startAttackServer } from "./servers.js";
import { SUITE } from "../support/wait-for.mjs";

const SECRETS = /secret-/;

async function start() {
  const elsewhere = await startAttackServer((_, response) => sendJson(response, { ok: true }));
  const homeserver = await startAttackServer(({ path }, response) => {
    const status = Number(/status=(\d+)/.exec(path)?.[1] ?? 307);
    const isSame = path.includes("here");
    // To itself first, so that the redirect to another origin is the second one.
    if (path.endsWith("chain")) {
      return void response.writeHead(status, { Location: path.replace("chain", "next") }).end();
    }
    if (path.includes("arrived")) return sendJson(response, { ok: true });
    const location = isSame ? "/arrived" : `${elsewhere.origin}/stolen`;
    response.writeHead(path.startsWith("/ok") ? 200 : status, { Location: location }).end("{}");
  });
  return { homeserver, elsewhere };
}

/** Calls that send a secret to the homeserver, or to a provider with its address. */
const CALLS: Readonly<Record<string, string>> = {
  "a password": `core.loginWithPassword({ homeserverUrl: base, password: "secret-password",
    identifier: { type: "m.id.user", user: "alice" } })`,
  "a registration": `client.register({ username: "alice", password: "secret-password" })`,
  "a new password": `client.setPassword(null, "secret-password")`,
  "a device's name, with the token": `client.setDeviceDetails("D", { display_name: "secret-name" })`,
  "a stage": `client.deleteDevice("D", { type: "m.login.password", password: "secret-password" })`,
  "only the token": `client.whoami()`,
  "a refresh token": `client.refreshToken("secret-refresh")`,
  "a code of a text message": `client.submitMsisdnTokenOtherUrl(base + "/x", "sid", "secret-1", "1")`,
  "a revocation": `core.revokeTokens({ revocation_endpoint: base + "/x" }, "client",
    { access_token: "secret-access", refresh_token: "secret-refresh" })`,
  "a sign-out": `session.signOut()`,
  "a registration of the app": `core.registerOidcClient({ registration_endpoint: base + "/x",
    grant_types_supported: ["authorization_code", "refresh_token"] },
    { clientUri: base, redirectUris: [base + "/"], clientName: "secret-name" })`,
  ...Object.fromEntries(
    ["POST", "PUT", "DELETE", "PATCH"].flatMap((method) => [
      [
        `an app's ${method} with session.fetch`,
        `session.fetch(base + "/app", { method: "${method}", body: "secret-body" })`,
      ],
      [
        `an app's ${method} with a Request`,
        `session.fetch(new Request(base + "/app?status=308", { method: "${method}",
           body: "secret-body", redirect: "follow" }))`,
      ],
    ]),
  ),
  "a login token": `client.login({ type: "m.login.token", token: "secret-login" })`,
  "the file of an upload": `client.uploadContent(new Blob(["secret-file"]))`,
  "an image, with the token": `client.getThumbnail("mxc://hs.example/a", { width: 1, height: 1 })`,
  "an email's validation": `client.requestPasswordEmailToken("a@mail.example", "secret-client", 1)`,
  "an address": `client.addThreePidOnly({ sid: "sid", client_secret: "secret-client" })`,
  "a key": `client.uploadDeviceSigningKeys({ type: "m.login.password", password: "secret-password" }, {})`,
  "a sign-out everywhere": `client.logoutAll()`,
  "a token for another device": `client.requestLoginToken({ password: "secret-password" })`,
  "a code for another device": `core.startDeviceAuthorization({ clientId: "secret-client",
    metadata: { issuer: base, device_authorization_endpoint: base + "/x" } })`,
  "a refresh of a session": `new core.OidcSession({
    tokenResponse: { access_token: "secret-access", refresh_token: "secret-refresh", token_type: "Bearer" },
    oidcClientSettings: { clientId: "client", issuer: base + "/ok" }, homeserverUrl: base, deviceId: "D",
    metadata: { issuer: base + "/ok", token_endpoint: base + "/x", revocation_endpoint: base + "/x" },
    scope: "urn:matrix:client:api:* urn:matrix:client:device:D", idTokenClaims: undefined,
  }).refresh()`,
  ...Object.fromEntries(
    [300, 301, 302, 303, 307, 308].map((status) => [
      `an app's POST with HTTP ${status}`,
      `session.fetch(base + "/app?status=${status}", { method: "POST", body: "secret-body" })`,
    ]),
  ),
  "an app's POST through a chain": `session.fetch(base + "/app?status=307&chain",
    { method: "POST", body: "secret-body" })`,
  "an app's PUT through a chain, with a stream": `session.fetch(new Request(base + "/app?chain",
    { method: "PUT", body: new Blob(["secret-body"]), keepalive: true }))`,
  "a password through a chain": `new core.HomeserverClient({ baseUrl: base + "/chain",
    accessToken: "secret-access" }).setPassword(null, "secret-password")`,
  "an app's POST without a body": `session.fetch(base + "/app", { method: "POST" })`,
};

/** Requests of an app that may be redirected. */
const TWINS: Readonly<Record<string, readonly [string, string]>> = {
  "a GET with session.fetch, without the token": [
    `session.fetch(base + "/app", { headers: { "X-App": "1" } })`,
    "/stolen",
  ],
  "a GET with session.fetch through a chain, without the token": [
    `session.fetch(base + "/app?chain")`,
    "/stolen",
  ],
  "a HEAD with session.fetch, without the token": [
    `session.fetch(base + "/app?status=308", { method: "HEAD" })`,
    "/stolen",
  ],
  "a GET with session.fetch, on the same origin": [`session.fetch(base + "/here")`, "/arrived"],
  "an app's own fetch": [`fetch(base + "/here", { method: "POST", body: "x" })`, "/arrived"],
};

const PREPARE = `
  const client = new core.HomeserverClient({ baseUrl: base, accessToken: "secret-access" });
  const session = new core.LegacySession({
    homeserverUrl: base, userId: "@a:hs", deviceId: "D", accessToken: "secret-access",
  });`;

type Run = (base: string, call: string) => Promise<unknown>;

function cases(
  run: Run,
  servers: () => { homeserver: AttackServer; elsewhere: AttackServer },
): void {
  for (const [what, call] of Object.entries(CALLS)) {
    it(`is not followed by ${what}`, async () => {
      const { homeserver, elsewhere } = servers();
      await run(homeserver.origin, call);
      assert.ok(homeserver.seen.length > 0, "no request");
      assert.deepEqual(elsewhere.seen, []);
    });
  }
  for (const [what, [call, path]] of Object.entries(TWINS)) {
    it(`is followed by ${what}`, async () => {
      const { homeserver, elsewhere } = servers();
      assert.equal(await run(homeserver.origin, call), 200);
      const last = [...homeserver.seen, ...elsewhere.seen].at(-1);
      assert.equal(last?.path, path);
      assert.doesNotMatch(JSON.stringify(elsewhere.seen), SECRETS);
      if (what.includes("same origin")) assert.equal(last.authorization, "Bearer secret-access");
    });
  }
}

describe("A redirect in a browser", SUITE, () => {
  let bed: Awaited<ReturnType<typeof startWithPages>>;
  let tab: Tab;
  async function startWithPages() {
    const servers = await start();
    const pages = await startAppPages();
    const all = [servers.homeserver, servers.elsewhere, pages];
    return {
      ...servers,
      page: `${pages.origin}/session.html`,
      reset: () =>
        void [servers.homeserver, servers.elsewhere].forEach(({ seen }) => seen.splice(0)),
      close: async () => void (await Promise.all(all.map((each) => each.close()))),
    };
  }
  useFixture({ servers: "per suite", profile: "per suite" }, startWithPages, (fixture) => {
    ({ bed, tab } = fixture);
  });
  beforeEach(async () => {
    await tab.goto(bed.page);
    await tab.waitForTrue("window.isReady");
  });
  const run: Run = (base, call) =>
    tab.run(`(async () => {
      const base = ${JSON.stringify(base)};
      ${PREPARE}
      return (await (async () => ${call})().catch((error) => error))?.status;
    })()`);
  cases(run, () => bed);

  it("is followed by an upload with progress, which no page can prevent, but without the token, and the upload fails", async () => {
    const { homeserver, elsewhere } = bed;
    const code = await tab.run(`new core.HomeserverClient({ baseUrl: "${homeserver.origin}",
      accessToken: "secret-access" }).uploadContent(new Blob(["file"]),
      { progressHandler: () => undefined }).catch(({ code }) => code)`);
    assert.equal(code, "unexpected_redirect");
    assert.deepEqual(
      elsewhere.seen.map(({ authorization }) => authorization),
      [undefined],
    );
  });
});

describe("A redirect in Node", SUITE, () => {
  let servers: Awaited<ReturnType<typeof start>>;
  before(async () => void (servers = await start()));
  beforeEach(() => [servers.homeserver, servers.elsewhere].forEach(({ seen }) => seen.splice(0)));
  after(() => Promise.all([servers.homeserver.close(), servers.elsewhere.close()]));
  const run: Run = (base, call) => {
    const body = `${PREPARE} return (async () => ${call})().catch((error) => error);`;
    const script = new Function("core", "base", body) as (...args: unknown[]) => Promise<unknown>;
    return script(core, base).then((result) => (Object(result) as { status?: unknown }).status);
  };
  cases(run, () => servers);
});
