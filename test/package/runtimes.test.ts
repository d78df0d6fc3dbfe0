// Every entry in runtimes without a page: servers, workers, and the edge.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import vm from "node:vm";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";

const exec = promisify(execFile);

/** Names that only a page has. */
const OF_PAGES = [
  "window",
  "document",
  "location",
  "history",
  "HTMLElement",
  "Element",
  "Node",
  "customElements",
  "localStorage",
  "sessionStorage",
  "indexedDB",
];

/** What edge runtimes have in common (https://min-common-api.proposal.wintertc.org), and JavaScript's own. */
const OF_EDGES =
  `AbortController AbortSignal Blob ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto
  CryptoKey DecompressionStream DOMException Event EventTarget File FormData Headers ReadableStream Request Response
  SubtleCrypto TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLSearchParams WritableStream
  atob btoa clearInterval clearTimeout console crypto fetch performance queueMicrotask setInterval setTimeout
  structuredClone`.split(/\s+/);

/** The conditions of bundlers for Vercel's edge and for Cloudflare's Workers. Neither has that of Node. */
const CONDITIONS = {
  "Vercel's edge": ["edge-light", "worker", "production"],
  "Vercel's edge, in development": ["edge-light", "worker", "development"],
  "Cloudflare Workers": ["workerd", "worker", "browser", "production"],
};

/** Every module that the package exports, as its `exports` lists them. */
async function entries(): Promise<readonly string[]> {
  const { exports } = JSON.parse(await readFile("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const locales = (await readdir("dist/locales")).filter((file) => file.endsWith(".js"));
  return Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === "string") return [];
    const files = name.includes("*") ? locales : [""];
    return files.map((file) =>
      name.replace("*", file.replace(/\.js$/, "")).replace(/^\./, "matrix-auth-elements"),
    );
  });
}

/** Imports entries one after another, and says which of them fail, and what they leave behind. */
const importing = (names: readonly string[]): string => `
  const problems = [];
  const before = Object.getOwnPropertyNames(globalThis);
  for (const name of ${JSON.stringify(names)}) {
    try { await import(name); } catch (error) { problems.push(name + ": " + error); }
  }
  // Lit itself makes the registry in Node.
  for (const name of ${JSON.stringify(OF_PAGES.filter((name) => name !== "customElements"))}) {
    if (!before.includes(name) && name in globalThis) problems.push(name + " is left behind");
  }`;

describe("Runtimes without a page", async () => {
  const names = await entries();
  assert.ok(names.length > 30);

  it("Node imports every entry, without getting a page's globals", async () => {
    const script = `${importing(names)} console.log(JSON.stringify(problems)); process.exit();`;
    const { stdout, stderr } = await exec(process.execPath, [
      "--input-type=module",
      "-e",
      `for (const name of ${JSON.stringify(OF_PAGES)}) delete globalThis[name]; ${script}`,
    ]);
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), []);
  });

  it("A worker thread imports every entry", async () => {
    const script = `
      import { parentPort } from "node:worker_threads";
      for (const name of ${JSON.stringify([...OF_PAGES, "navigator"])}) delete globalThis[name];
      ${importing(names)}
      parentPort.postMessage(problems);`;
    const worker = new Worker(script, { eval: true });
    const problems = await new Promise((resolve, reject) => {
      worker.once("message", resolve).once("error", reject);
    });
    await worker.terminate();
    assert.deepEqual(problems, []);
  });

  for (const [runtime, conditions] of Object.entries(CONDITIONS)) {
    it(`A bundle for ${runtime} runs every entry, without eval, and without getting a page's globals`, async () => {
      const problems: string[] = [];
      for (const name of names) {
        // It is for Node alone.
        if (name.endsWith("/node")) continue;
        problems.push(...(await whatFailsAtTheEdge(name, conditions)));
      }
      assert.deepEqual(problems, []);
    });
  }
});

/** An entry as a script, whose exports are in the variable `entry`. */
async function bundle(name: string, conditions: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: "." },
    bundle: true,
    format: "iife",
    globalName: "entry",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: [...conditions],
    // Bundlers for these runtimes do this for React.
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

const edgeGlobals = (): Record<string, unknown> =>
  Object.fromEntries(OF_EDGES.map((name) => [name, (globalThis as Record<string, unknown>)[name]]));

/** The values that runtimes accept for members of a request. Cloudflare Workers ignore the other members. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  "Cloudflare Workers": { cache: ["no-store", "no-cache"], redirect: ["follow", "manual"] },
  "a runtime that accepts only what it needs": {
    credentials: [],
    mode: [],
    referrer: [],
    referrerPolicy: [],
    cache: [],
    keepalive: [],
    redirect: ["follow", "manual"],
  },
};

const METADATA = {
  issuer: "https://hs.example/",
  authorization_endpoint: "https://hs.example/authorize",
  token_endpoint: "https://hs.example/token",
  revocation_endpoint: "https://hs.example/revoke",
  device_authorization_endpoint: "https://hs.example/device",
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
};

for (const [runtime, accepted] of Object.entries(MEMBERS)) {
  describe(`In ${runtime}`, () => {
    const seen: string[] = [];
    const replies: Record<string, () => Response> = {
      "/.well-known/matrix/client": () => redirect("https://www.hs.example/file"),
      "/file": () => Response.json({ "m.homeserver": { base_url: "https://hs.example" } }),
      "/_matrix/client/v3/login": () =>
        Response.json({ user_id: "@alice:hs.example", device_id: "D", access_token: "secret" }),
      "/moved": () => redirect("https://elsewhere.example/"),
      "/_matrix/client/v1/auth_metadata": () => Response.json(METADATA),
      "/.well-known/openid-configuration": () => Response.json(METADATA),
      "/device": () =>
        Response.json({
          device_code: "secret-code",
          user_code: "WDJB-MJHT",
          verification_uri: "https://hs.example/link",
          expires_in: 600,
          interval: 1,
        }),
      "/token": () => {
        const polls = seen.filter((request) => request.endsWith("/token")).length;
        if (polls === 1) throw new Error("Network connection lost.");
        if (polls === 2) return Response.json({ error: "authorization_pending" }, { status: 403 });
        return Response.json({
          access_token: `secret-access-${polls}`,
          refresh_token: "secret-refresh",
          token_type: "Bearer",
          expires_in: 300,
        });
      },
    };
    const redirect = (Location: string) =>
      new Response(null, { status: 307, headers: { Location } });
    /** They throw for a member that they don't know, unless it is undefined. */
    class WorkersRequest extends Request {
      constructor(input: RequestInfo | URL, init: RequestInit = {}) {
        for (const [name, value] of Object.entries(init)) {
          const values = accepted[name];
          if (values && value !== undefined && !values.includes(value)) {
            throw new TypeError(`The '${name}' field is not implemented, or not with ${value}`);
          }
        }
        super(input, init);
        for (const name of Object.keys(accepted)) {
          if (name !== "redirect") Object.defineProperty(this, name, { value: undefined });
        }
      }
      override clone(): Request {
        return new WorkersRequest(super.clone());
      }
    }
    const fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = new WorkersRequest(input, init);
      const { pathname } = new URL(request.url);
      seen.push(`${request.method} ${request.url}`);
      return Promise.resolve().then(() => replies[pathname]?.() ?? Response.json({}));
    };
    /** The pauses between polls end immediately, and time limits never. */
    const setTimeout = (call: () => void, ms: number): void => {
      if (ms <= 2000) queueMicrotask(call);
    };
    const core = async () => {
      const code = await bundle("matrix-auth-elements/core", CONDITIONS["Cloudflare Workers"]);
      const context = vm.createContext({
        ...edgeGlobals(),
        Request: WorkersRequest,
        fetch,
        setTimeout,
      });
      vm.runInContext(code, context);
      return vm.runInContext("entry", context) as typeof import("matrix-auth-elements/core");
    };

    it("a homeserver is found, a user signs in, and requests with the session are sent", async () => {
      const { discoverHomeserver, loginWithPassword, LegacySession } = await core();
      const { baseUrl: homeserverUrl } = await discoverHomeserver("hs.example");
      const identifier = { type: "m.id.user", user: "alice" } as const;
      const session = new LegacySession(
        await loginWithPassword({ homeserverUrl, identifier, password: "secret" }),
      );
      assert.equal((await session.fetch("https://hs.example/read")).status, 200);
      const sent = await session.fetch("https://hs.example/write", { method: "PUT", body: "x" });
      assert.equal(sent.status, 200);
      assert.equal(await session.signOut(), true);
      assert.deepEqual(seen.splice(0), [
        "GET https://hs.example/.well-known/matrix/client",
        "GET https://www.hs.example/file",
        "POST https://hs.example/_matrix/client/v3/login",
        "GET https://hs.example/read",
        "PUT https://hs.example/write",
        "POST https://hs.example/_matrix/client/v3/logout",
      ]);
    });

    it("a user signs in with a code from another device, and the session refreshes and signs out", async () => {
      const {
        fetchAuthMetadata,
        startDeviceAuthorization,
        completeDeviceAuthorizationGrant,
        OidcSession,
      } = await core();
      const homeserverUrl = "https://hs.example";
      const metadata = await fetchAuthMetadata(homeserverUrl);
      const client = { metadata, clientId: "client" };
      const codes = await startDeviceAuthorization(client);
      assert.equal(codes.user_code, "WDJB-MJHT");
      const grant = { session: codes, ...client, homeserverUrl };
      const session = new OidcSession(await completeDeviceAuthorizationGrant(grant));
      assert.equal(await session.accessToken(), "secret-access-3");
      assert.equal(await session.refresh(), "secret-access-4");
      assert.equal(await session.signOut(), true);
      const sent = seen.splice(0).filter((request) => request.startsWith("POST"));
      assert.deepEqual(sent, [
        "POST https://hs.example/device",
        ...Array<string>(4).fill("POST https://hs.example/token"),
        ...Array<string>(2).fill("POST https://hs.example/revoke"),
      ]);
    });

    it("no request with a body follows a redirect", async () => {
      const { LegacySession } = await core();
      const user = { homeserverUrl: "https://hs.example", userId: "@alice:hs.example" };
      const session = new LegacySession({ ...user, deviceId: "D", accessToken: "secret" });
      const sent = session.fetch("https://hs.example/moved", { method: "POST", body: "secret" });
      await assert.rejects(sent, /redirects, which is not followed/);
      assert.deepEqual(seen.splice(0), ["POST https://hs.example/moved"]);
    });
  });
}

/** Bundles an entry, and runs it with the globals of edge runtimes alone. */
async function whatFailsAtTheEdge(
  name: string,
  conditions: readonly string[],
): Promise<readonly string[]> {
  const globals = edgeGlobals();
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (!text.startsWith("Lit is in dev mode")) warnings.push(`${name}: ${text}`);
  };
  globals["console"] = { ...console, warn, error: warn };
  const context = vm.createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  try {
    vm.runInContext(await bundle(name, conditions), context);
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
  const left = OF_PAGES.filter((each) => vm.runInContext(`"${each}" in globalThis`, context));
  return [...left.map((each) => `${name} leaves ${each}`), ...warnings];
}
