// Runs the guides' examples for several accounts, and for tokens from other code, in Node with the test servers.
import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import {
  HomeserverClient,
  OidcSession,
  completeAuthorizationCodeGrantFromUrl,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  restoreSession,
  type AuthorizationCodeGrantResult,
  type MatrixSession,
  type StoredSession,
} from "matrix-auth-elements/core";
import { createTestServers, type TestServers } from "matrix-auth-elements/testing";
import { build } from "esbuild";
import { allBlocks } from "./blocks.js";

const APP = "https://app.example/";

/** The record that other code has stored for a user. */
type Old = Readonly<Record<string, unknown>>;

/** A `Storage` for Node. As in browsers, its items are its own properties. */
class MemoryStorage {
  readonly [item: string]: unknown;
  getItem(key: string): unknown {
    return Object.hasOwn(this, key) ? this[key] : null;
  }
  setItem(key: string, value: string): void {
    Object.assign(this, { [key]: value });
  }
  removeItem(key: string): void {
    Reflect.deleteProperty(this, key);
  }
  key(nth: number): string | null {
    return Object.keys(this)[nth] ?? null;
  }
  get length(): number {
    return Object.keys(this).length;
  }
}

/** The functions of a guide's example. */
async function documented<Functions>(
  page: string,
  ...names: readonly string[]
): Promise<Functions> {
  const definition = new RegExp(`(function|const) ${names[0]}\\b`);
  const block = (await allBlocks()).find(
    ({ page: found, text }) => found === page && definition.test(text),
  );
  assert.ok(block, `${page}: ${names[0]}()`);
  const { outputFiles } = await build({
    stdin: {
      contents: `${block.text}\nexport { ${names.join()} };`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    format: "esm",
    write: false,
  });
  const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`;
  return (await import(url)) as Functions;
}

describe("The guides' sessions", () => {
  let servers: TestServers;
  const open: MatrixSession[] = [];
  const { fetch } = globalThis;

  beforeEach(async () => {
    for (const name of ["localStorage", "sessionStorage"]) {
      const value = new MemoryStorage();
      Object.defineProperty(globalThis, name, { value, configurable: true });
    }
    servers = await createTestServers({ login: ["oauth", "password"] });
    globalThis.fetch = servers.fetch;
  });
  after(() => {
    globalThis.fetch = fetch;
    for (const session of open) session.close();
    for (const name of ["localStorage", "sessionStorage"]) Reflect.deleteProperty(globalThis, name);
  });

  const signIn = async (): Promise<AuthorizationCodeGrantResult> => {
    const metadata = await fetchAuthMetadata(servers.homeserver);
    const clientId = await registerOidcClient(metadata, { clientUri: APP, redirectUris: [APP] });
    const url = await generateOidcAuthorizationUrl({
      ...{ metadata, clientId, homeserverUrl: servers.homeserver, redirectUri: APP, nonce: "n" },
    });
    return completeAuthorizationCodeGrantFromUrl(servers.approve(url));
  };

  /** Uses the stored session, with the old token and then with one that has replaced it. */
  const assertRenewed = async (deviceId: unknown): Promise<void> => {
    const session = await restoreSession({ store: "localStorage" });
    assert.ok(session);
    open.push(session);
    const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
    const whoami = await client.whoami();
    assert.equal(whoami.user_id, "@alice:matrix.example.org");
    assert.equal(whoami.device_id, deviceId);
    const before = await session.accessToken();
    servers.expireTokens();
    assert.deepEqual(await client.whoami(), whoami);
    assert.notEqual(await session.accessToken(), before);
  };

  it("from tokens of OAuth 2.0 are refreshed when the homeserver rejects the old token", async () => {
    const { deviceId, homeserverUrl, oidcClientSettings, tokenResponse } = await signIn();
    const { fromOAuth } = await documented<{ fromOAuth: (old: Old) => Promise<OidcSession> }>(
      "docs/guides/migrate-existing-tokens.md",
      "fromOAuth",
    );
    const { access_token: accessToken, refresh_token: refreshToken } = tokenResponse;
    const session = await fromOAuth({
      ...{ deviceId, homeserverUrl, ...oidcClientSettings, tokens: { accessToken, refreshToken } },
      userId: "@alice:matrix.example.org",
    });
    open.push(session);
    assert.equal(session.user.userId, "@alice:matrix.example.org");
    await assertRenewed(deviceId);
  });

  it("from tokens of the legacy API are refreshed when the homeserver rejects the old token", async () => {
    const old = servers.signIn("alice");
    const { fromLegacy } = await documented<{
      fromLegacy: (old: object) => Promise<MatrixSession>;
    }>("docs/guides/migrate-existing-tokens.md", "fromLegacy");
    open.push(await fromLegacy(old));
    await assertRenewed(old.deviceId);
  });

  it("from oidc-client-ts are found in its store, migrated once, and deleted from it", async () => {
    const { deviceId, homeserverUrl, oidcClientSettings, tokenResponse, scope } = await signIn();
    const { clientId, issuer } = oidcClientSettings;
    // The format of its UserManager 3.5. Its `authority` may lack the slash at the end of the issuer.
    const authority = issuer.replace(/\/$/, "");
    const key = `oidc.user:${authority}:${clientId}`;
    const user = { ...tokenResponse, scope, session_state: null, profile: { iss: issuer } };
    sessionStorage.setItem(key, JSON.stringify(user));
    const { takeOver } = await documented<{
      takeOver: (...names: readonly string[]) => Promise<void>;
    }>("docs/guides/migrate-from-oidc-client-ts.md", "takeOver");
    await takeOver(authority, clientId, homeserverUrl);
    assert.equal(sessionStorage.getItem(key), null);
    await takeOver(authority, clientId, homeserverUrl);
    await assertRenewed(deviceId);
  });

  it("of several accounts are listed, chosen, ended, and signed out separately", async () => {
    const other = await createTestServers({
      ...{ homeserver: "https://matrix.other.example", login: ["password"], fetch: servers.fetch },
      accounts: { bob: "password" },
    });
    globalThis.fetch = other.fetch;
    const page = "docs/guides/multiple-accounts.md";
    type Keep = (result: object) => Promise<void>;
    const { keepOAuth, keepLegacy } = await documented<{ keepOAuth: Keep; keepLegacy: Keep }>(
      page,
      ...["keepOAuth", "keepLegacy"],
    );
    const names = ["accounts", "currentSession", "choose", "signOutEverywhere"];
    const { accounts, currentSession, choose, signOutEverywhere } = await documented<{
      accounts: () => Promise<readonly StoredSession[]>;
      currentSession: () => Promise<MatrixSession | undefined>;
      choose: (key: string) => void;
      signOutEverywhere: () => Promise<void>;
    }>(page, ...names);
    const current = async (): Promise<string | undefined> => {
      const session = await currentSession();
      if (!session) return undefined;
      open.push(session);
      const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
      return (await client.whoami()).device_id;
    };

    assert.equal(await current(), undefined);
    const alice = await signIn();
    await keepOAuth(alice);
    await keepLegacy(servers.signIn("alice", { deviceId: "LAPTOP" }));
    await keepLegacy(other.signIn("bob", { deviceId: "PHONE" }));
    const all = await accounts();
    const devices = [alice.deviceId, "LAPTOP", "PHONE"];
    assert.deepEqual(new Set(all.map(({ deviceId }) => deviceId)), new Set(devices));
    for (const { key, deviceId } of all) {
      choose(key);
      assert.equal(await current(), deviceId);
    }

    // The homeserver ends the chosen account's session. The other homeserver's sessions stay.
    choose(all.find(({ deviceId }) => deviceId === "PHONE")?.key ?? "");
    other.endSessions({ softLogout: true });
    await assert.rejects(current());
    assert.ok([alice.deviceId, "LAPTOP"].includes((await current()) ?? ""));
    const states = Object.fromEntries(
      (await accounts()).map(({ deviceId, state }) => [deviceId, state]),
    );
    const signedIn = { [alice.deviceId]: "signed-in", LAPTOP: "signed-in" };
    assert.deepEqual(states, { ...signedIn, PHONE: "soft-logout" });

    await signOutEverywhere();
    assert.deepEqual(await accounts(), []);
    assert.equal(await current(), undefined);
  });
});
