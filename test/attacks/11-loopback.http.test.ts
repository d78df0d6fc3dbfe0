// Rule 11: loopback is every spelling that the platform resolves there. It runs in Node: a page of these
// tests would be on this machine itself, where servers may point to this machine.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  discoverHomeserver,
  discoverIssuer,
  fetchAuthMetadata,
  HomeserverClient,
  LegacySession,
  restoreSession,
  startDeviceAuthorization,
} from "matrix-auth-elements/core";
// The elements themselves need a browser, whose page would be on this machine.
/* eslint-disable @typescript-eslint/no-restricted-imports */
import type { UiaSession } from "../../dist/context/uia-session.js";
import { findAccount } from "../../src/elements/matrix-account/account.js";
import { terms } from "../../dist/elements/uia-dialog/stages/registration-stages.js";
import { FallbackController } from "../../dist/elements/uia-fallback-frame/controller.js";
import { assertUserAt } from "../../dist/sign-in/password-place.js";
/* eslint-enable @typescript-eslint/no-restricted-imports */

const HOMESERVER = "https://hs.example";
const WELL_KNOWN = `${HOMESERVER}/.well-known/matrix/client`;
const ISSUER_DOCUMENT = "https://idp.example/.well-known/openid-configuration";
const METADATA = `${HOMESERVER}/_matrix/client/v1/auth_metadata`;

const HOSTS = [
  ...["127.0.0.1", "127.1.2.3", "127.1", "2130706433", "0x7f000001", "017700000001", "127.0.0.1."],
  ...["0.0.0.0", "0", "0x0", "0.0.0.0.", "0.1.2.3", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]"],
  ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:127.1.2.3]", "[0:0:0:0:0:ffff:7f00:1]"],
  ...["[::ffff:0.0.0.0]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[::ffff:0:0.0.0.0]"],
  ...["[64:ff9b::127.0.0.1]", "[64:ff9b::7fff:1]", "[64:ff9b::]"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "loc%61lhost"],
  ...[
    "localhost.localdomain",
    "localhost6",
    "localhost6.localdomain6",
    "localhost4",
    "ip6-localhost",
  ],
  ...["ip6-loopback", "１２７.０.０.１", "ⓛocalhost", "127。0。0。1"],
];

const PUBLIC_HOSTS = [
  ...["example.org", "126.0.0.1", "128.0.0.1", "10.0.0.1", "[2001:db8::1]", "[::ffff:10.0.0.1]"],
  ...["[64:ff9b::10.0.0.1]", "localhost.example.org", "127.0.0.1.example.org", "notlocalhost"],
  ...["[::2]", "[fe80::7f00:1]", "ip6-localhost.example.org"],
];

const server = (responses: Readonly<Record<string, object | string>>) => {
  const asked: string[] = [];
  const fetch = (input: string | URL | Request): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(url);
    const response = responses[url];
    if (typeof response === "string") {
      return Promise.resolve(new Response(null, { status: 302, headers: { Location: response } }));
    }
    return Promise.resolve(Response.json(response ?? {}, { status: response ? 200 : 404 }));
  };
  return { asked, options: { fetch } };
};

const metadataAt = (origin: string): object => ({
  issuer: `${origin}/`,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  revocation_endpoint: `${origin}/revoke`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
});

/** Starts a sign-in with a device code at a provider that names these pages. */
const startWith = (pages: object, issuer = "https://idp.example") => {
  const metadata = {
    ...metadataAt(issuer),
    device_authorization_endpoint: `${issuer}/device`,
  } as unknown as Parameters<typeof startDeviceAuthorization>[0]["metadata"];
  const codes = { device_code: "d", user_code: "u", expires_in: 600 };
  const response = { ...codes, verification_uri: `${issuer}/code`, ...pages };
  const { options } = server({ [`${issuer}/device`]: response });
  return startDeviceAuthorization({ metadata, clientId: "c" }, options);
};

describe("A public server that points to this machine", () => {
  for (const host of HOSTS) {
    it(`is refused: ${host}`, async () => {
      const base_url = `https://${host}:8448`;
      const file = server({ [WELL_KNOWN]: { "m.homeserver": { base_url } } });
      await assert.rejects(discoverHomeserver("hs.example", file.options), {
        code: "well_known_invalid",
      });
      // A header contains only ASCII.
      const redirect = server({ [WELL_KNOWN]: `https://${encodeURI(host)}:8448/file` });
      await assert.rejects(discoverHomeserver("hs.example", redirect.options), {
        code: "unexpected_redirect",
      });
      const provider = server({ [METADATA]: metadataAt(base_url) });
      await assert.rejects(fetchAuthMetadata(HOMESERVER, provider.options), {
        code: "metadata_invalid",
      });
      assert.deepEqual(provider.asked, [METADATA]);
      const own = { ...metadataAt(base_url), issuer: "https://idp.example/" };
      const keys = { ...metadataAt("https://idp.example"), jwks_uri: `${base_url}/keys` };
      for (const document of [own, keys]) {
        const issuer = server({ [ISSUER_DOCUMENT]: document });
        await assert.rejects(discoverIssuer("https://idp.example/", issuer.options), {
          code: "metadata_invalid",
        });
      }
      const phone = server({});
      const client = new HomeserverClient({ baseUrl: HOMESERVER, ...phone.options });
      await assert.rejects(client.submitMsisdnTokenOtherUrl(`${base_url}/code`, "s", "c", "t"));
      assert.deepEqual(phone.asked, []);
      await assert.rejects(startWith({ verification_uri: `${base_url}/code` }), {
        code: "response_malformed",
      });
      const complete = { verification_uri_complete: `${base_url}/code` };
      await assert.rejects(startWith(complete), { code: "response_malformed" });
    });
  }
});

/** A store in memory. */
const storeIn = (kept: Map<string, string>) => ({
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
});

/** The requests about a claimed user: before a password is sent, and after the homeserver has disappeared. */
async function askedAbout(userId: string, homeserverUrl = HOMESERVER): Promise<readonly string[]> {
  const { asked, options } = server({});
  const place = { homeserverUrl, isTyped: false };
  await assertUserAt(userId, place, options).catch(() => undefined);
  const store = storeIn(new Map());
  const login = { homeserverUrl, userId, deviceId: "DEVICE", accessToken: "token" };
  const session = new LegacySession(login, { store });
  await session.stored;
  session.close();
  const fetch = (input: string | URL | Request): Promise<Response> => {
    const { url } = input instanceof Request ? input : new Request(input);
    const isGone = url.startsWith(homeserverUrl) && !url.includes(".well-known");
    return isGone ? Promise.reject(new TypeError("gone")) : options.fetch(input);
  };
  const restored = await restoreSession({ store, fetch });
  await restored?.fetch(`${homeserverUrl}/_matrix/client/v3/sync`).catch(() => undefined);
  // The code for this is loaded first.
  await import("../../dist/core/session/token-refresh.js");
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  restored?.close();
  return asked;
}

describe("A user whom a public homeserver claims to have on this machine", () => {
  // The others are no names of servers.
  const isName = (host: string): boolean => /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(host);
  for (const host of HOSTS.filter(isName)) {
    it(`causes no request to it: ${host}`, async () => {
      assert.deepEqual(await askedAbout(`@alice:${host}:631`), []);
    });
  }

  it("twin: causes requests to a public server, or if the homeserver is on this machine, too", async () => {
    const file = "/.well-known/matrix/client";
    assert.deepEqual(await askedAbout("@alice:example.org"), [
      `https://example.org${file}`,
      "https://example.org/_matrix/client/versions",
      `https://example.org${file}`,
    ]);
    assert.deepEqual(await askedAbout("@alice:localhost:631", "http://localhost:8008"), [
      `http://localhost:631${file}`,
    ]);
  });
});

describe("The account page for a client of another library", () => {
  const linkTo = async (origin: string): Promise<string | undefined> => {
    const account_management_uri = `${origin}/account`;
    const metadata = { ...metadataAt(origin), account_management_uri };
    const client = {
      baseUrl: HOMESERVER,
      userId: "@alice:hs.example",
      deviceId: "DEVICE",
      whoami: () => Promise.reject(new Error("known")),
      getCapabilities: () => Promise.resolve({}),
      getAuthMetadata: () => Promise.resolve(metadata),
      getDevices: () => Promise.resolve({ devices: [] }),
      deleteMultipleDevices: () => Promise.resolve({}),
    };
    const { signal } = new AbortController();
    const account = await findAccount({ client, session: undefined }, signal);
    return account.pageFor("org.matrix.profile");
  };

  it("has no link to this machine, and requests nothing there", async (context) => {
    const document = context.mock.method(globalThis, "fetch", () => Response.error());
    assert.equal(await linkTo("https://localhost:8448"), undefined);
    assert.equal(document.mock.callCount(), 0);
  });

  it("has a link to a public provider's page", async (context) => {
    context.mock.method(globalThis, "fetch", () => Response.json({}, { status: 404 }));
    assert.equal(await linkTo("https://idp.example"), "https://idp.example/account");
  });
});

describe("A stage of a homeserver", () => {
  const sessionWith = (stage: string, params: unknown, baseUrl: string): UiaSession =>
    ({ stage, params, sessionId: "s", client: { baseUrl } }) as unknown as UiaSession;

  /** What `<uia-fallback-frame>` opens at `m.oauth`. */
  const approvalPage = (url: string, baseUrl: string): string | undefined => {
    const session = sessionWith("m.oauth", { url }, baseUrl);
    const consumers: { hostConnected(): void }[] = [];
    const host = {
      addController: (added: { hostConnected(): void }) => consumers.push(added),
      requestUpdate: () => undefined,
      dispatchEvent: ({ callback }: Event & { callback?: (value: unknown) => void }) =>
        callback?.(session),
    };
    const controller = new FallbackController(
      host as unknown as ConstructorParameters<typeof FallbackController>[0],
    );
    consumers[0]?.hostConnected();
    return controller.page?.url;
  };

  /** Whether `<uia-dialog>` links to a policy. */
  const isLinked = (url: string, baseUrl: string): boolean => {
    const params = { policies: { privacy: { en: { name: "Privacy", url } } } };
    const session = sessionWith("m.login.terms", params, baseUrl);
    const context = { session, language: "en", term: () => "", id: String };
    return "fields" in terms(context as unknown as Parameters<typeof terms>[0]);
  };

  for (const host of HOSTS) {
    it(`neither opens nor links to anything on this machine: ${host}`, () => {
      const page = `https://${host}:8448/page`;
      assert.equal(approvalPage(page, HOMESERVER), undefined);
      assert.equal(isLinked(page, HOMESERVER), false);
    });
  }

  for (const [baseUrl, page] of [
    [HOMESERVER, "https://idp.example/page"],
    ["http://localhost:8008", "http://127.0.0.1:8080/page"],
  ] as const) {
    it(`opens and links ${page} for ${baseUrl}`, () => {
      assert.equal(approvalPage(page, baseUrl), page);
      assert.equal(isLinked(page, baseUrl), true);
    });
  }
});

describe("A server that points elsewhere", () => {
  for (const host of PUBLIC_HOSTS) {
    it(`is accepted: ${host}`, async () => {
      const base_url = `https://${host}:8448`;
      const { options } = server({ [WELL_KNOWN]: { "m.homeserver": { base_url } } });
      const found = await discoverHomeserver("hs.example", options);
      assert.equal(found.baseUrl, new URL(base_url).origin);
      const verification_uri = `${base_url}/code`;
      assert.equal((await startWith({ verification_uri })).verification_uri, verification_uri);
    });
  }

  it("may be on this machine if it points to this machine", async () => {
    const file = "http://localhost:8008/.well-known/matrix/client";
    const base_url = "https://[::ffff:127.0.0.1]:8448";
    const { options } = server({ [file]: { "m.homeserver": { base_url } } });
    const found = await discoverHomeserver("localhost:8008", options);
    assert.equal(found.baseUrl, "https://[::ffff:7f00:1]:8448");
    const verification_uri = "http://127.0.0.1:8080/code";
    const started = await startWith({ verification_uri }, "http://localhost:8080");
    assert.equal(started.verification_uri, verification_uri);
  });
});
