import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { HomeserverClient, loginWithPassword } from "matrix-auth-elements/core";
import { createTestServers } from "matrix-auth-elements/testing";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import {
  CAPTCHA,
  TERMS,
  apiClient,
  passwordAuth,
  assertRefused,
  assertChallenged,
  signIn,
  type SignedInUser,
} from "./api-client.js";
import { contract } from "./contract.js";
import { delegatedContract } from "./delegated.js";
import { dendrite } from "../interop/dendrite/contract.js";
import { demo } from "./demo.js";
import type { HomeserverUnderTest } from "./homeserver.js";

const titles = new Set<string>();
contract({ ...demo, onTest: (title) => titles.add(title) });

// Dendrite's own tier is seldom run.
it("has a test with the title of each difference of Dendrite", () => {
  const differences = [...(dendrite.differences?.keys() ?? [])];
  assert.notEqual(differences.length, 0);
  assert.deepEqual(
    differences.filter((title) => !titles.has(title)),
    [],
  );
});

describe("The demo's homeserver that delegates sign-in to a provider", () => {
  let provider: Awaited<ReturnType<typeof startAuthorizationServer>>;
  let homeserver: Awaited<ReturnType<typeof startHomeserver>>;

  before(async () => {
    provider = await startAuthorizationServer({ accounts: createAccounts() });
    homeserver = await startHomeserver({ authorizationServer: provider });
  });
  after(() => Promise.all([homeserver.close(), provider.close()]));

  delegatedContract(() => homeserver.baseUrl);
});

describe("A homeserver of matrix-auth-elements/testing with only OAuth 2.0", async () => {
  const { homeserver, fetch } = await createTestServers();
  delegatedContract(() => homeserver, fetch);
});

describe("The demo's homeserver that delegates sign-in, and keeps the legacy API for older clients", () => {
  let provider: Awaited<ReturnType<typeof startAuthorizationServer>>;
  let homeserver: Awaited<ReturnType<typeof startHomeserver>>;

  before(async () => {
    provider = await startAuthorizationServer({ accounts: createAccounts() });
    const sso = { provider, name: "Lantern" };
    homeserver = await startHomeserver({ authorizationServer: provider, sso });
  });
  after(() => Promise.all([homeserver.close(), provider.close()]));

  it("has authorization server metadata, and tells clients to prefer OAuth 2.0", async () => {
    const client = new HomeserverClient({ baseUrl: homeserver.baseUrl });
    const flows = await client.getLoginFlows();
    assert.deepEqual([flows.oauthAwarePreferred, flows.sso, flows.password], [true, true, true]);
    assert.equal((await client.getAuthMetadata()).issuer, provider.issuer);
  });

  it("signs in an older client with a password, and accepts its token", async () => {
    const { baseUrl } = homeserver;
    const identifier = { type: "m.id.user", user: "alice" } as const;
    const credentials = { identifier, password: "alice-demo-password" };
    const { accessToken, userId } = await loginWithPassword({
      homeserverUrl: baseUrl,
      ...credentials,
    });
    const { user_id } = await new HomeserverClient({ baseUrl, accessToken }).whoami();
    assert.equal(user_id, userId);
  });

  it("creates no accounts", async () => {
    const response = await fetch(`${homeserver.baseUrl}/_matrix/client/v3/register`, {
      method: "POST",
      body: "{}",
    });
    assert.equal(response.status, 403);
  });
});

describe("A homeserver of matrix-auth-elements/testing, beyond Synapse", () => {
  let started: Awaited<ReturnType<typeof startHomeserver>>;
  let alice: SignedInUser;

  beforeEach(async () => {
    started = await startHomeserver();
    const user = { user: "alice", password: "alice-demo-password" };
    alice = await signIn(server(), user);
  });
  afterEach(() => started.close());

  const server = (): HomeserverUnderTest => ({
    ...started,
    createAccount: () => Promise.resolve(),
    registrationToken: "lantern",
    captcha: "",
    mails: () => 0,
    linkFor: () => Promise.resolve(""),
    lastCode: () => started.outbox.at(-1)?.code ?? "",
    setLocked: () => Promise.resolve(),
    forgetSessions: () => Promise.resolve(),
  });
  const begin = async (): Promise<string> =>
    (await alice.api("DELETE", "v3/devices/OTHER")).body.session ?? "";
  const pageOf = (type: string, session: string): string =>
    `${started.baseUrl}/_matrix/client/v3/auth/${type}/fallback/web?session=${session}`;

  it("limits attempts at the stages of a session, and reports the time to wait", async () => {
    const session = await begin();
    started.uia.attempts = { allowed: 1, windowMs: 60_000 };
    const auth = passwordAuth(session, { ...alice, password: "wrong" });
    assert.equal((await alice.api("DELETE", "v3/devices/OTHER", { auth })).status, 401);
    const { status, body } = await alice.api("DELETE", "v3/devices/OTHER", { auth });
    assert.deepEqual([status, body.errcode], [429, "M_LIMIT_EXCEEDED"]);
    assert.ok(Number(body["retry_after_ms"]) > 0);
  });

  it("accepts the registration token under its old name", async () => {
    const type = "org.matrix.msc3231.login.registration_token";
    started.uia.registrationFlows = [[type]];
    const anonymous = apiClient(server());
    const body = { username: "zoe", password: "a-long-password" };
    await assertChallenged(
      anonymous("POST", "v3/register", { ...body, auth: { type, token: "no" } }),
      "M_UNAUTHORIZED",
    );
    const right = { ...body, auth: { type, token: "lantern" } };
    assert.equal((await anonymous("POST", "v3/register", right)).status, 200);
  });

  for (const [type, fields] of [
    ["org.example.unknown", { agree: "on" }],
    [CAPTCHA, { agree: "on" }],
    ["m.login.sso", { agree: "on" }],
  ] as const) {
    it(`completes ${type} on its page`, async () => {
      started.uia.flows = [[type]];
      const session = await begin();
      const refused = await fetch(pageOf(type, session), { method: "POST" });
      assert.doesNotMatch(await refused.text(), /authDone/);
      const body = new URLSearchParams(fields);
      const done = await fetch(pageOf(type, session), { method: "POST", body });
      assert.match(await done.text(), /authDone/);
      const { status } = await alice.api("DELETE", "v3/devices/OTHER", { auth: { session } });
      assert.equal(status, 200);
    });
  }

  it("rejects the page of an unknown session", async () => {
    assert.equal((await fetch(pageOf(TERMS, "unknown"))).status, 400);
  });

  it("rejects an incorrect code with 400 M_TOKEN_INCORRECT", async () => {
    const anonymous = apiClient(server());
    const asked = { client_secret: "secret", country: "GB", phone_number: "07700 900123" };
    const { body } = await anonymous("POST", "v3/register/msisdn/requestToken", {
      ...asked,
      send_attempt: 1,
    });
    await assertRefused(
      anonymous("POST", "unstable/add_threepid/msisdn/submit_token", {
        sid: body["sid"],
        client_secret: "secret",
        token: "wrong",
      }),
      "400 M_TOKEN_INCORRECT",
    );
  });

  it("rejects a secret with characters that the specification forbids", async () => {
    await assertRefused(
      apiClient(server())("POST", "v3/register/email/requestToken", {
        client_secret: "a b",
        email: "zoe@hs.example",
        send_attempt: 1,
      }),
      "400 M_INVALID_PARAM",
    );
  });
});
