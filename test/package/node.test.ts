import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import {
  discoverHomeserver,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  generateScope,
  OidcError,
  secureRandomString,
} from "matrix-auth-elements/core";
import { restoreStubs, stub } from "../support/stub.ts";
import { WAIT_MS } from "../support/wait-for.mjs";

const exec = promisify(execFile);

describe("Without a browser", () => {
  it("In Node, generateAuthorizationUrl() builds a URL, and the caller keeps its state", async () => {
    const params = generateAuthorizationParams({ redirectUri: "https://app.example/callback" });
    const url = new URL(
      await generateAuthorizationUrl("https://idp.example/authorize?x=1", "me", params),
    );
    assert.equal(url.origin + url.pathname, "https://idp.example/authorize");
    const challenge = createHash("sha256").update(params.codeVerifier).digest("base64url");
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      x: "1",
      response_type: "code",
      response_mode: "query",
      client_id: "me",
      redirect_uri: "https://app.example/callback",
      scope: params.scope,
      state: params.state,
      nonce: params.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
  });

  it("In Node, scopes and random strings can be generated", () => {
    assert.equal(
      generateScope("ABCDEFGHIJ"),
      "openid urn:matrix:client:api:* urn:matrix:client:device:ABCDEFGHIJ",
    );
    assert.notEqual(secureRandomString(32), secureRandomString(32));
  });

  it("In Node, a sign-in that needs a browser's storage rejects with storage_unavailable", async () => {
    const { generateOidcAuthorizationUrl, validateAuthMetadata } =
      await import("matrix-auth-elements/core");
    const metadata = validateAuthMetadata({
      issuer: "https://idp.example/",
      authorization_endpoint: "https://idp.example/authorize",
      token_endpoint: "https://idp.example/token",
      revocation_endpoint: "https://idp.example/revoke",
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
    await assert.rejects(
      generateOidcAuthorizationUrl({
        metadata,
        clientId: "me",
        homeserverUrl: "https://hs.example",
        redirectUri: "https://app.example/callback",
        nonce: secureRandomString(10),
      }),
      { message: OidcError.StorageUnavailable, code: "storage_unavailable" },
    );
  });

  it("In Node on Windows, which has no owners of files, matrix-auth-elements/node can be imported", async () => {
    const script = `delete process.getuid;
      const { createFileStore } = await import("matrix-auth-elements/node");
      console.log(typeof createFileStore);`;
    const { stdout } = await exec(process.execPath, ["--input-type=module", "--eval", script], {
      timeout: WAIT_MS,
    });
    assert.equal(stdout.trim(), "function");
  });

  /** Without its option `--location`, Deno has the property, but no value. */
  const IN_DENO = 'Object.defineProperty(globalThis, "location", { value: undefined });';
  for (const [where, prepare] of [
    ["Node", ""],
    ["Deno", IN_DENO],
  ] as const) {
    it(`In ${where}, two sessions in one store refresh once, without locks, and don't keep the process running`, async () => {
      const script = `
      ${prepare}
      Object.defineProperty(globalThis, "navigator", { value: {
        locks: { request: () => console.log("Each process has its own locks") },
      } });
      import { OidcSession } from "matrix-auth-elements/core";
      const items = new Map();
      const store = {
        getItem: (key) => items.get(key),
        setItem: (key, value) => items.set(key, value),
        removeItem: (key) => items.delete(key),
      };
      const requests = [];
      const fetch = async (url) => {
        requests.push(new URL(url).pathname);
        if (url.includes("whoami")) return Response.json({ user_id: "@alice:hs.example" });
        return Response.json({ access_token: "new", token_type: "Bearer", expires_in: 300 });
      };
      const issuer = "https://idp.example/";
      const first = new OidcSession({
        tokenResponse: { access_token: "old", refresh_token: "r", token_type: "Bearer", expires_at: 1 },
        oidcClientSettings: { clientId: "me", issuer },
        metadata: { issuer, token_endpoint: issuer + "t", revocation_endpoint: issuer + "r" },
        homeserverUrl: "https://hs.example",
        idTokenClaims: undefined,
        deviceId: "D",
        scope: "",
      }, { store, fetch });
      const second = await OidcSession.restore({ store, fetch });
      const tokens = await Promise.all([first.accessToken(), second.accessToken()]);
      while (!second.user.userId) {
        await new Promise((resolve) => second.addEventListener("session-changed", resolve, { once: true }));
      }
      const third = await OidcSession.restore({ store, fetch });
      console.log(tokens.join(), requests.join(), third.user.userId);`;
      const { stdout } = await exec(process.execPath, ["--input-type=module", "--eval", script], {
        timeout: WAIT_MS,
      });
      assert.equal(stdout.trim(), "new,new /t,/_matrix/client/v3/account/whoami @alice:hs.example");
    });
  }

  const WELL_KNOWN = "https://hs.example/.well-known/matrix/client";
  /** Servers as Node's fetch shows them, including redirects, and their requests. */
  const servers = (responses: Readonly<Record<string, object | string>>) => {
    const asked: string[] = [];
    const fetch = (url: string, { redirect }: RequestInit): Promise<Response> => {
      asked.push(url);
      const response = responses[url];
      if (typeof response !== "string") return Promise.resolve(Response.json(response ?? {}));
      assert.equal(redirect, "manual", "Node itself would follow this anywhere");
      return Promise.resolve(new Response(null, { status: 302, headers: { Location: response } }));
    };
    return { asked, options: { fetch: fetch as typeof globalThis.fetch } };
  };

  it("In Node, a redirect to another https URL is followed", async () => {
    const { options } = servers({
      [WELL_KNOWN]: "https://www.hs.example/file",
      "https://www.hs.example/file": { "m.homeserver": { base_url: "https://hs.example" } },
    });
    const found = await discoverHomeserver("hs.example", options);
    assert.deepEqual(found, { baseUrl: "https://hs.example" });
  });

  it("In Deno, a redirect of a well-known file to http://hs.example/file ends with unexpected_redirect", async () => {
    stub(globalThis, "location", { value: undefined });
    const { options } = servers({ [WELL_KNOWN]: "http://hs.example/file" });
    await assert.rejects(discoverHomeserver("hs.example", options), {
      code: "unexpected_redirect",
    });
    restoreStubs();
  });

  for (const target of ["http://hs.example/file", WELL_KNOWN]) {
    it(`In Node, a redirect of a well-known file to ${target} ends with unexpected_redirect`, async () => {
      const { asked, options } = servers({ [WELL_KNOWN]: target });
      await assert.rejects(discoverHomeserver("hs.example", options), {
        code: "unexpected_redirect",
      });
      assert.deepEqual([...new Set(asked)], [WELL_KNOWN]);
    });
  }
});
