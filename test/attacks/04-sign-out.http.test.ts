// Rule 4: signing out starts in the same task. The page leaves or closes in the task that calls signOut().
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { startPages } from "../../demo/server/pages.js";
import { waitForTrue, type Tab } from "../e2e/driver/driver.js";
import { useBrowser } from "../e2e/fixture.js";
import { folder } from "../e2e/testbed.js";
import { SUITE } from "../support/wait-for.mjs";

type Kind = "oauth" | "legacy";

/** The server never responds to the revocation of a token with these words. */
const HUNG = "never-responds-";
/** Two fill the 64 KiB of requests that outlast a page. */
const LARGE = HUNG.repeat(2180);

/** A homeserver and provider of another origin than the page, whose preflights the test can hold. */
class Server {
  readonly origin: string;
  /** The tokens that were revoked, or whose device was signed out, in their order. */
  readonly ended: string[] = [];
  #held: (() => void)[] | undefined;
  readonly #server;

  static async start(): Promise<Server> {
    const server = createServer((request, response) => void served.serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const served = new Server(server);
    return served;
  }

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  holdPreflights(): void {
    this.#held = [];
  }

  releasePreflights(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const respond of held) respond();
  }

  get heldPreflights(): number {
    return this.#held?.length ?? 0;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type");
    if (request.method === "OPTIONS") {
      const respond = () => response.end();
      if (this.#held) this.#held.push(respond);
      else respond();
      return;
    }
    const body = await text(request);
    if (body.includes(HUNG)) return;
    const { authorization = "" } = request.headers;
    if (request.url === "/revoke") this.ended.push(new URLSearchParams(body).get("token") ?? "");
    if (request.url?.endsWith("/logout")) this.ended.push(authorization.slice("Bearer ".length));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ user_id: "@alice:example" }));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe("Rule 4: signing out starts in the same task", SUITE, () => {
  const browser = useBrowser();
  let server: Server;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let tab: Tab;

  before(async () => {
    server = await Server.start();
    pages = await startPages({
      roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
    });
  });
  after(async () => {
    server.close();
    await pages.close();
  });
  beforeEach(async () => {
    server.ended.length = 0;
    tab = await browser.profile.newTab();
    await tab.goto(`${pages.origin}/session.html?store=localStorage`);
    await tab.waitForTrue("window.isReady");
  });
  afterEach(() => server.releasePreflights());

  /** Signs in, in this tab. The page has used its store, as each page with a session has. */
  const signIn = async (where: Tab, kind: Kind, store: string, nth: number): Promise<void> => {
    const common = { homeserverUrl: server.origin, deviceId: "DEVICE" };
    const source =
      kind === "legacy"
        ? { ...common, userId: "@alice:example", accessToken: `access-${nth}` }
        : {
            ...common,
            tokenResponse: {
              access_token: `access-${nth}`,
              refresh_token: `refresh-${nth}`,
              token_type: "Bearer",
            },
            oidcClientSettings: { clientId: "client", issuer: `${server.origin}/` },
            metadata: {
              issuer: `${server.origin}/`,
              token_endpoint: `${server.origin}/token`,
              revocation_endpoint: `${server.origin}/revoke`,
            },
            scope: "urn:matrix:client:api:*",
          };
    const type = kind === "legacy" ? "LegacySession" : "OidcSession";
    await where.run(`(async () => {
      hold(new core.${type}(${JSON.stringify(source)}, { store: "${store}", userId: "@alice:example" }));
      await session.stored;
    })()`);
  };
  const tokensOf = (kind: Kind, nth: number): readonly string[] =>
    kind === "legacy" ? [`access-${nth}`] : [`access-${nth}`, `refresh-${nth}`];
  const waitForEnd = (kind: Kind, nth: number): Promise<void> =>
    waitForTrue(`the end of session ${nth} in ${server.ended.join()}`, () =>
      tokensOf(kind, nth).every((token) => server.ended.includes(token)),
    );
  /** The state of the session that a page, and a worker without localStorage, can restore. */
  const restorable = (where: Tab, store: string): Promise<unknown> =>
    where.run(`(async () => {
      const restored = await core.restoreSession({ store: "${store}" });
      restored?.close();
      return restored?.state ?? null;
    })()`);
  const restorableInWorker = (where: Tab): Promise<unknown> =>
    where.run(`new Promise((resolve) => {
      const code = \`import("${pages.origin}/dist/cdn/core.js")
        .then((core) => core.restoreSession({ store: "indexedDB" }))
        .then((session) => postMessage(session?.state ?? null), (error) => postMessage(String(error)))\`;
      const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      new Worker(url, { type: "module" }).onmessage = ({ data }) => resolve(data);
    })`);

  const ROUNDS = 5;
  for (const kind of ["oauth", "legacy"] as const) {
    for (const store of ["localStorage", "sessionStorage", "indexedDB"] as const) {
      describe(`${kind} in ${store}`, () => {
        it("reaches the server, and nothing is restored, if the page navigates in the same task", async () => {
          for (let nth = 0; nth < ROUNDS; nth += 1) {
            await signIn(tab, kind, store, nth);
            await tab.run(`void session.signOut(); location.href = "/icon.svg?${nth}"`);
            await tab.waitForUrl(`/icon.svg?${nth}`);
            await tab.goto(`${pages.origin}/session.html?store=memory`);
            await tab.waitForTrue("window.isReady");
            if (store === "indexedDB") assert.equal(await restorableInWorker(tab), null);
            assert.equal(await restorable(tab, store), null);
            await waitForEnd(kind, nth);
          }
        });

        it("reaches the server, and nothing is restored, if the tab closes in the same task", async () => {
          for (let nth = 0; nth < ROUNDS; nth += 1) {
            const closing = await tab.clickOpening("#duplicate");
            await closing.waitForTrue("window.isReady");
            await signIn(closing, kind, store, nth);
            await closing.run("void session.signOut(); window.close()").catch(() => undefined);
            await waitForTrue("the tab's end", () => closing.isClosed());
            if (store === "indexedDB") assert.equal(await restorableInWorker(tab), null);
            assert.equal(await restorable(tab, store), null);
            await waitForEnd(kind, nth);
          }
        });

        it("control: a page that stays signs out, too, and leaves no mark", async () => {
          await signIn(tab, kind, store, 0);
          assert.equal(await tab.run("session.signOut()"), true);
          await waitForEnd(kind, 0);
          assert.equal(await restorable(tab, store), null);
          if (store !== "sessionStorage") {
            assert.deepEqual(await tab.run("Object.keys(localStorage)"), []);
          }
          // The next sign-in under the same key is another session.
          await signIn(tab, kind, store, 1);
          assert.equal(await restorable(tab, store), "signed-in");
        });
      });
    }
  }

  it("legacy: reaches the homeserver even if it responds to the preflight after the page is gone", async () => {
    server.holdPreflights();
    const closing = await tab.clickOpening("#duplicate");
    await closing.waitForTrue("window.isReady");
    await signIn(closing, "legacy", "indexedDB", 0);
    await closing.run("void session.signOut(); window.close()").catch(() => undefined);
    await waitForTrue("the tab's end", () => closing.isClosed());
    await waitForTrue("the preflight", () => server.heldPreflights > 0);
    server.releasePreflights();
    await waitForEnd("legacy", 0);
  });

  it("oauth: needs no preflight for the revocation", async () => {
    server.holdPreflights();
    await signIn(tab, "oauth", "localStorage", 0);
    assert.equal(await tab.run("session.signOut()"), true);
    assert.equal(server.heldPreflights, 0);
    await waitForEnd("oauth", 0);
  });

  it("oauth: reaches the server although another account's provider has used up the browser's limit for such requests", async () => {
    await signIn(tab, "oauth", "localStorage", 0);
    const { metadata } = JSON.parse(
      String(await tab.run("localStorage.getItem(session.key)")),
    ) as object & { readonly metadata: unknown };
    const other = JSON.stringify({
      ...{ homeserverUrl: server.origin, deviceId: "OTHER", scope: "", metadata },
      oidcClientSettings: { clientId: "client", issuer: `${server.origin}/` },
      tokenResponse: { access_token: LARGE, refresh_token: LARGE, token_type: "Bearer" },
    });
    await tab.run(`void new core.OidcSession(${other}).signOut();
      void session.signOut();
      location.href = "/icon.svg"`);
    await waitForEnd("oauth", 0);
  });

  it("legacy: reaches the homeserver from a page that stays, although several accounts together have used up that limit", async (context) => {
    await signIn(tab, "oauth", "localStorage", 0);
    const record = String(await tab.run("localStorage.getItem(session.key)"));
    // Eight requests of 8 KiB, the longest that may continue, fill it to the last byte.
    const token = HUNG.repeat(600).slice(0, (1 << 13) - "token=&client_id=client".length);
    const [access_token, refresh_token] = ["access_token", "refresh_token"].map((hint) =>
      token.slice(`&token_type_hint=${hint}`.length),
    );
    const tokens = { access_token, refresh_token, token_type: "Bearer" };
    // The browser has a limit of connections for each host, too.
    const hostile = await Server.start();
    context.after(() => hostile.close());
    const other = JSON.stringify({
      ...(JSON.parse(record.replaceAll(server.origin, hostile.origin)) as object),
      tokenResponse: tokens,
    });
    await signIn(tab, "legacy", "localStorage", 1);
    await tab.run(`for (let nth = 0; nth < 4; nth += 1) void new core.OidcSession(${other}).signOut();
      void session.signOut()`);
    await waitForEnd("legacy", 1);
  });

  it("does not wait for a tab that holds the lock", async () => {
    await signIn(tab, "oauth", "indexedDB", 0);
    const other = await browser.profile.newTab();
    await other.goto(`${pages.origin}/icon.svg`);
    await other.run(
      "new Promise((held) => void navigator.locks.request('matrix-auth-elements:session', () => new Promise(held)))",
    );
    await tab.run(`void session.signOut(); location.href = "/icon.svg"`);
    await waitForEnd("oauth", 0);
    await other.goto(`${pages.origin}/session.html?store=indexedDB`);
    await other.waitForTrue("window.isReady");
    assert.equal(await other.run("window.session === undefined"), true);
  });
});
