// Programs in Node sign in with the demo's provider and homeserver. Its users read the pages' text without a
// browser.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cwd, env, execPath } from "node:process";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import {
  fetchAuthMetadata,
  HomeserverClient,
  OidcSession,
  registerOidcClient,
} from "matrix-auth-elements/core";
import { signInWithLoopback, type LoopbackOptions } from "matrix-auth-elements/node";
// The function is not public, because only programs in Node need it.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { openerOf } from "../../dist/node/loopback.js";
import { build } from "esbuild";
import { blocksOf } from "../docs/blocks.js";
import { waitForTrue } from "../e2e/driver/driver.js";
import { startTestbed, type Testbed } from "../e2e/testbed.js";
import { createVisitor, type Visited, type Visitor } from "../e2e/without-browser.js";
import { SUITE, WAIT_MS } from "../support/wait-for.mjs";

const exec = promisify(execFile);
const TOKEN = "POST /oauth2/token";
const WHOAMI = "/_matrix/client/v3/account/whoami";
const clientMetadata = { clientName: "A program", clientUri: "https://program.example" };

/** A store like a file. */
function createStore() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => Promise.resolve(items.get(key)),
    setItem: (key: string, value: string) => Promise.resolve(items.set(key, value)),
    removeItem: (key: string) => Promise.resolve(items.delete(key)),
  };
}

/** Signs in as Alice, up to the provider's redirect. */
async function allow(url: string, visitor: Visitor): Promise<Visited> {
  const signIn = await visitor.visit(url);
  const consent = await visitor.visit(`${signIn.url}/sign-in`, { continue_as: "alice" });
  return visitor.visit(`${consent.url}/consent`, { action: "allow" });
}

describe("signInWithLoopback()", SUITE, () => {
  let bed: Testbed;
  before(async () => void (bed = await startTestbed()));
  after(() => bed?.close());
  beforeEach(() => bed.reset());

  const signIn = (options: Partial<LoopbackOptions>) =>
    signInWithLoopback({ homeserver: bed.homeserver, clientMetadata, ...options });
  const whoami = async (session: OidcSession): Promise<string> => {
    const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
    const { user_id } = await client.whoami();
    return user_id.slice(0, user_id.indexOf(":"));
  };
  /** The URL of the response to an authorization request. */
  const redirectUriOf = (url: string): string =>
    new URL(url).searchParams.get("redirect_uri") ?? "";
  const tokenRequests = (): number => bed.takeRequests().filter((each) => each === TOKEN).length;

  it("Rejects and revokes tokens of another device than the program has named", async () => {
    const sent: string[] = [];
    /** The granted scope is missing, and the homeserver names the other device. */
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      sent.push(pathname);
      const response = await globalThis.fetch(input, init);
      const members =
        pathname === WHOAMI
          ? { device_id: "OTHER" }
          : pathname === "/oauth2/token" && { scope: null };
      return members
        ? Response.json({ ...((await response.json()) as object), ...members })
        : response;
    };
    const store = createStore();
    const open = (url: string) => allow(url, createVisitor());
    const signedIn = signIn({ store, deviceId: "PROGRAM0001", fetch, open });
    await assert.rejects(signedIn, { code: "scope_not_granted" });
    await waitForTrue("the revocation", () => sent.includes("/oauth2/revoke"));
    assert.equal(store.items.size, 0);
  });

  it("Signs in, shows a page, stops the server, and the store's session can be refreshed later", async () => {
    const store = createStore();
    let shown: Visited | undefined;
    const { session, result } = await signIn({
      store,
      key: "alice",
      deviceId: "PROGRAM0001",
      open: async (url) => void (shown = await allow(url, createVisitor())),
    });
    assert.match(shown?.url ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    assert.equal(shown?.status, 200);
    assert.match(shown.text, /You can close this window/);
    assert.match(shown.headers.get("Content-Security-Policy") ?? "", /^default-src 'none';/);
    assert.equal(shown.headers.get("Referrer-Policy"), "no-referrer");
    await assert.rejects(fetch(shown.url), "A reload finds no server");
    assert.equal(tokenRequests(), 1);
    assert.equal(result.deviceId, "PROGRAM0001");
    assert.equal(await whoami(session), "@alice");
    session.close();

    const restored = await OidcSession.restore({ store, key: "alice" });
    assert.ok(restored);
    assert.notEqual(await restored.refresh(), result.tokenResponse.access_token);
    assert.equal(await whoami(restored), "@alice");
    // The session also requests and keeps the user ID.
    while (restored.user.userId === undefined) await once(restored, "session-changed");
    assert.equal(await restored.signOut(), true);
    assert.equal(store.items.size, 0);
  });

  for (const [what, fault] of [
    ["the provider fails", { status: 503 }],
    ["the connection is lost", { drop: true }],
  ] as const) {
    it(`Signs in even if ${what} twice in response to the token request`, async () => {
      bed.faults["/oauth2/token"] = { ...fault, times: 2 };
      const { session } = await signIn({ open: (url) => allow(url, createVisitor()) });
      assert.equal(tokenRequests(), 3);
      assert.equal(await whoami(session), "@alice");
    });
  }

  it("Requests the tokens once if the provider rejects the code, and not again after an abort", async () => {
    const controller = new AbortController();
    for (const [status, code] of [
      [400, "code_rejected"],
      [503, "aborted"],
    ] as const) {
      bed.faults["/oauth2/token"] = { status, body: { error: "invalid_grant" } };
      const requested = signIn({
        open: (url) => allow(url, createVisitor()),
        signal: controller.signal,
        fetch: async (input, init) => {
          const response = await fetch(input, init);
          if (response.status === 503) setTimeout(() => controller.abort());
          return response;
        },
      });
      await assert.rejects(requested, { code });
      assert.equal(tokenRequests(), 1);
    }
  });

  for (const [system, command, ...args] of [
    ["linux", "xdg-open"],
    ["freebsd", "xdg-open"],
    ["darwin", "open"],
    ["win32", "rundll32.exe", "url.dll,FileProtocolHandler"],
  ] as const) {
    it(`Opens a URL on ${system} with ${command}, as one argument`, () => {
      const url = "https://idp.example/authorize?a=1&b=%22two%22";
      assert.deepEqual(openerOf(system, url), [command, [...args, url]]);
    });
  }

  it("Rejects every request that is not the response, and continues to wait", async () => {
    const statuses: Record<string, number> = {};
    const { session } = await signIn({
      open: async (url) => {
        const { origin } = new URL(redirectUriOf(url));
        const state = new URL(url).searchParams.get("state") ?? "";
        for (const path of [
          "/favicon.ico",
          "/callback/",
          "//",
          "/callback",
          "/callback?code=c&state=another",
          "/callback?error=access_denied",
        ]) {
          statuses[path] = (await fetch(origin + path)).status;
        }
        const posted = await fetch(`${origin}/callback?code=c&state=${state}`, { method: "POST" });
        statuses["POST"] = posted.status;
        await allow(url, createVisitor());
      },
    });
    assert.deepEqual(statuses, {
      "/favicon.ico": 404,
      "/callback/": 404,
      "//": 404,
      "/callback": 400,
      "/callback?code=c&state=another": 400,
      "/callback?error=access_denied": 400,
      POST: 404,
    });
    assert.equal(await whoami(session), "@alice");
  });

  it("Uses the code once if the response arrives twice", async () => {
    let statuses: readonly (number | undefined)[] = [];
    const { session } = await signIn({
      open: async (url) => {
        const { url: response } = await allow(url, createVisitor(redirectUriOf(url)));
        // The server may close before it reads the second request.
        const both = await Promise.allSettled([fetch(response), fetch(response)]);
        statuses = both.flatMap((each) => (each.status === "fulfilled" ? each.value.status : []));
      },
    });
    assert.equal(await whoami(session), "@alice");
    assert.equal(tokenRequests(), 1);
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  /** Each failure, and its error code. */
  const failures: readonly (readonly [
    what: string,
    code: string,
    options: () => Partial<LoopbackOptions>,
  ])[] = [
    [
      "the user declines",
      "access_denied",
      () => ({
        open: async (url) => {
          const visitor = createVisitor();
          const page = await visitor.visit(url);
          const shown = await visitor.visit(`${page.url}/sign-in`, { action: "cancel" });
          assert.equal(shown.status, 200);
        },
      }),
    ],
    [
      "the response is another issuer's",
      "issuer_mismatch",
      () => ({
        open: async (url) => {
          const { searchParams } = new URL(url);
          const query = `code=c&iss=https://idp.example&state=${searchParams.get("state") ?? ""}`;
          await fetch(`${redirectUriOf(url)}?${query}`);
        },
      }),
    ],
    ["the user takes too long", "timeout", () => ({ open: () => undefined, timeoutMs: 1 })],
    [
      "it is aborted",
      "aborted",
      () => {
        const controller = new AbortController();
        return { open: () => controller.abort(), signal: controller.signal };
      },
    ],
    ["it was aborted before", "aborted", () => ({ signal: AbortSignal.abort() })],
    [
      "the browser cannot be opened",
      "browser_unavailable",
      () => ({ open: () => Promise.reject(new Error("No display")) }),
    ],
    ["the port does not exist", "port_unavailable", () => ({ port: 70_000 })],
    ["the path is none", "settings_invalid", () => ({ path: "callback" })],
    ["the path has a query", "settings_invalid", () => ({ path: "/callback?from=here" })],
    ["no client is named", "settings_invalid", () => ({ clientMetadata: undefined })],
    ["the homeserver is none", "homeserver_invalid", () => ({ homeserver: "a b" })],
  ];
  for (const [what, code, options] of failures) {
    it(`Rejects with ${code} if ${what}, and the stored session stays`, async () => {
      const store = createStore();
      store.items.set("mx-session", "of another program");
      let redirectUri: string | undefined;
      const { open, ...others } = options();
      await assert.rejects(
        signIn({
          store,
          key: "mx-session",
          open: (url) => {
            redirectUri = redirectUriOf(url);
            return open?.(url);
          },
          ...others,
        }),
        { name: "OidcFlowError", code },
      );
      if (redirectUri !== undefined) await assert.rejects(fetch(redirectUri), "The server is gone");
      assert.deepEqual([...store.items], [["mx-session", "of another program"]]);
      assert.equal(tokenRequests(), 0);
    });
  }

  it("Rejects with port_unavailable if the port is taken, before any request", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    try {
      await assert.rejects(signIn({ port }), { code: "port_unavailable" });
      assert.deepEqual(bed.takeRequests(), []);
    } finally {
      other.close();
      await once(other, "close");
    }
    let shown: Visited | undefined;
    await signIn({
      port,
      path: "/",
      page: "<p>Fertig.",
      open: async (url) => void (shown = await allow(url, createVisitor())),
    });
    assert.equal(new URL(shown?.url ?? "").origin, `http://127.0.0.1:${port}`);
    assert.equal(shown?.text, "<p>Fertig.");
  });

  it("Accepts the client ID of a program that is registered without a port", async () => {
    const metadata = await fetchAuthMetadata(bed.homeserver);
    const redirectUris = ["http://127.0.0.1/callback"];
    const clientId = await registerOidcClient(metadata, { ...clientMetadata, redirectUris });
    bed.takeRequests();
    const { session } = await signIn({
      clientId,
      clientMetadata: undefined,
      open: (url) => allow(url, createVisitor()),
    });
    assert.equal(session.oidcClientSettings.clientId, clientId);
    assert.ok(!bed.takeRequests().some((each) => each.includes("/registration")));
  });

  it("Resolves with a session that works even if the store fails", async () => {
    const store = { ...createStore(), setItem: () => Promise.reject(new Error("Disk full")) };
    const { session } = await signIn({ store, open: (url) => allow(url, createVisitor()) });
    await assert.rejects(session.stored, { code: "storage_unavailable" });
    assert.equal(await whoami(session), "@alice");
  });

  describe("With the system's opener", () => {
    let folder: string;
    const { PATH } = env;
    before(async () => void (folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"))));
    after(async () => {
      env["PATH"] = PATH;
      await rm(folder, { recursive: true });
    });
    /** Installs a script as the system's browser. */
    const install = async (script: string): Promise<void> => {
      for (const name of ["open", "xdg-open"]) {
        const file = join(folder, name);
        await writeFile(file, `#!${execPath}\n${script}`);
        await chmod(file, 0o755);
      }
      env["PATH"] = [folder, PATH].join(delimiter);
    };

    it("Rejects with browser_unavailable if the opener fails or is missing", async () => {
      await install("process.exitCode = 3;");
      await assert.rejects(signIn({}), { code: "browser_unavailable" });
      env["PATH"] = join(folder, "empty");
      await assert.rejects(signIn({}), { code: "browser_unavailable" });
    });

    it("The documentation's program signs in once, and is signed in when it runs again", async () => {
      const browser = createServer(async (request, response) => {
        const url = await text(request);
        // The opener exits before the user has signed in.
        response.end();
        await allow(url, createVisitor());
      }).listen(0, "127.0.0.1");
      await once(browser, "listening");
      const { port } = browser.address() as AddressInfo;
      await install(
        `if (process.argv.length === 3) fetch("http://127.0.0.1:${port}", { method: "POST", body: process.argv[2] });`,
      );
      const program = await example("signInWithLoopback");
      const code = program.replace('"example.org"', JSON.stringify(bed.homeserver));
      const run = async (): Promise<string> => {
        const args = ["--input-type=module", "--eval", code];
        const options = { env: { ...env, HOME: folder, USERPROFILE: folder }, timeout: WAIT_MS };
        return (await exec(execPath, args, options)).stdout;
      };
      try {
        assert.match(await run(), /^Signed in as @alice:/);
        assert.equal(tokenRequests(), 1);
        const files = await readdir(join(folder, ".my-client"));
        assert.equal(files.length, 1);
        const file = join(folder, ".my-client", files[0] ?? "");
        assert.equal((await stat(file)).mode & 0o777, 0o600);
        env["PATH"] = join(folder, "empty");
        assert.match(await run(), /^Signed in as @alice:/);
      } finally {
        browser.close();
      }
    });
  });

  it("The documentation's deep links complete their own sign-in once, and an unrequested link changes nothing", async (context) => {
    const storage = new Map<string, string>();
    Object.defineProperty(globalThis, "localStorage", {
      configurable: true,
      value: {
        getItem: (key: string) => storage.get(key) ?? null,
        setItem: (key: string, value: string) => storage.set(key, value),
        removeItem: (key: string) => storage.delete(key),
      },
    });
    context.after(() => Reflect.deleteProperty(globalThis, "localStorage"));
    const { outputFiles } = await build({
      stdin: { contents: await example("completeLogin(link)"), resolveDir: cwd() },
      bundle: true,
      format: "esm",
      write: false,
    });
    const module = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`;
    const { beginLogin, completeLogin } = (await import(module)) as {
      readonly beginLogin: (homeserver: string) => Promise<string>;
      readonly completeLogin: (link: string) => Promise<OidcSession>;
    };

    await assert.rejects(completeLogin("com.example.client:/callback?code=c&state=s"), {
      code: "flow_unknown",
    });
    const url = await beginLogin(bed.homeserver);
    const { url: link } = await allow(url, createVisitor("com.example.client:"));
    const pending = storage.get("login");
    for (const stranger of ["", "?code=c&state=another", "?error=access_denied&state=another"]) {
      await assert.rejects(completeLogin(`com.example.client:/callback${stranger}`), {
        code: "flow_invalid",
      });
      assert.equal(storage.get("login"), pending);
    }
    assert.equal(tokenRequests(), 0);

    bed.faults["/oauth2/token"] = { status: 503 };
    await assert.rejects(completeLogin(link), { retryable: true });
    assert.equal(storage.get("login"), pending);
    bed.reset();
    const session = await completeLogin(link);
    assert.equal(await whoami(session), "@alice");
    await assert.rejects(completeLogin(link), { code: "flow_unknown" });
    assert.equal(tokenRequests(), 1);
    assert.equal(await whoami(session), "@alice");
    session.close();
  });
});

/** The documentation's example with that text in it. */
async function example(part: string): Promise<string> {
  const blocks = await blocksOf("docs/guides/desktop-and-mobile.md");
  const found = blocks.find(({ language, text: code }) => language === "js" && code.includes(part));
  assert.ok(found, part);
  return found.text;
}
