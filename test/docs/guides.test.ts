// Runs the complete examples of guides as printed, with the servers of `npx matrix-auth-elements`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { ACCOUNTS, type Servers } from "../../bin/servers.js";
import { startPages } from "../../demo/server/pages.js";
import { LegacySession, loginWithPassword, OidcFlowError } from "matrix-auth-elements/core";
import { createTestServers } from "matrix-auth-elements/testing";
import type { Tab } from "../e2e/driver/driver.js";
import { inPage } from "../e2e/driver/page.js";
import { useBrowser } from "../e2e/fixture.js";
import { useProviderButton, waitForPageText, waitForState } from "../e2e/user-actions.js";
import { freePort } from "../support/ports.mjs";
import { SUITE, waitFor } from "../support/wait-for.mjs";
import { blocksOf } from "./blocks.js";
import { startDemoServers } from "./quick-start.js";

/** The files that a guide prints, by name. */
async function filesOf(guide: string): Promise<Record<string, string>> {
  const blocks = await blocksOf(`docs/guides/${guide}.md`);
  return Object.fromEntries(blocks.flatMap(({ file, text }) => (file ? [[file, text]] : [])));
}

describe("The guides' complete examples", SUITE, () => {
  const browser = useBrowser();
  let servers: Servers;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    servers = await startDemoServers();
  });
  after(async () => {
    servers?.close();
    await rm(folder, { recursive: true });
  });

  async function enter(tab: Tab): Promise<void> {
    await tab.type("matrix-login input[name=homeserver]", servers.passwords);
    await waitForState(tab, "matrix-login", "ready");
    await tab.type("matrix-login [name=username]", "alice");
    await tab.type("matrix-login [name=password]", ACCOUNTS.alice);
    await tab.press("Enter");
  }

  async function signIn(tab: Tab): Promise<void> {
    await enter(tab);
    await waitForPageText(tab, `Signed in as @alice:${servers.passwords}`);
  }

  it("The verification guide's server accepts only a user whose homeserver confirms the token", async () => {
    const files = await filesOf("verify-on-your-server");
    const program = (files["server.js"] ?? "").replace(
      '"example.org": "https://matrix.example.org"',
      `"${servers.passwords}": "http://${servers.passwords}"`,
    );
    await writeFile(join(folder, "server.mjs"), program);
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const running = spawn(process.execPath, ["server.mjs"], { cwd: folder, env });
    const own = `http://127.0.0.1:${port}`;
    const { fetch } = globalThis;
    try {
      const me = (cookie = ""): Promise<Response> => fetch(`${own}/me`, { headers: { cookie } });
      await waitFor("no server", () =>
        me().then(
          ({ status }) => status === 401,
          () => false,
        ),
      );

      // The page's part, in Node: with the store of a page, and the page's origin for relative URLs.
      const items = new Map<string, string>();
      const localStorage = {
        getItem: (key: string) => items.get(key) ?? null,
        setItem: (key: string, value: string) => void items.set(key, value),
        removeItem: (key: string) => void items.delete(key),
      };
      const sent: string[] = [];
      const cookies: string[] = [];
      Object.assign(globalThis, {
        localStorage,
        fetch: async (url: string, init: RequestInit) => {
          if (url !== "/session") return fetch(url, init);
          sent.push(String(init.body));
          const response = await fetch(own + url, init);
          cookies.push(...response.headers.getSetCookie());
          return response;
        },
      });
      const { outputFiles } = await build({
        stdin: { contents: files["sign-in-to-server.js"] ?? "", resolveDir: process.cwd() },
        ...{ bundle: true, format: "esm", write: false },
      });
      const { signInToServer } = (await import(
        `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`
      )) as { readonly signInToServer: () => Promise<boolean> };
      assert.equal(await signInToServer(), false);
      const login = await loginWithPassword({
        homeserverUrl: `http://${servers.passwords}`,
        identifier: { type: "m.id.user", user: "alice" },
        password: ACCOUNTS.alice,
      });
      await new LegacySession(login, { store: "localStorage" }).stored;
      assert.equal(await signInToServer(), true);
      assert.ok(!sent[0]?.includes(login.accessToken));
      const [cookie = ""] = cookies;
      assert.match(cookie, /^session=[\w-]{43}; HttpOnly; Secure; SameSite=Lax; /);
      const response = await me(`other=1; ${cookie.split(";")[0]}`);
      assert.equal(await response.text(), `@alice:${servers.passwords}`);

      const proof = JSON.parse(sent[0] ?? "") as Record<string, string>;
      const start = (body: unknown, type = "application/json"): Promise<Response> =>
        fetch(`${own}/session`, {
          method: "POST",
          headers: { "Content-Type": type },
          body: JSON.stringify(body),
        });
      for (const [body, status] of [
        [{ ...proof, access_token: "another" }, 401],
        [{ ...proof, access_token: login.accessToken }, 401],
        [{ ...proof, matrix_server_name: "evil.example" }, 401],
        [{ ...proof, matrix_server_name: "__proto__" }, 401],
        [{ ...proof, access_token: ["a"] }, 401],
        [null, 502],
        ["x".repeat(20_000), 502],
      ] as const) {
        assert.equal((await start(body)).status, status, JSON.stringify(body)?.slice(0, 80));
      }
      assert.equal((await start(proof, "text/plain")).status, 404);
      assert.equal((await me("session=another")).status, 401);
    } finally {
      globalThis.fetch = fetch;
      Reflect.deleteProperty(globalThis, "localStorage");
      running.kill();
    }
  });

  it("The strict page signs a user in under its headers, and runs no changed file", async () => {
    const files = await filesOf("strict-page");
    const own = await mkdtemp(join(folder, "strict-"));
    await cp(
      "dist/cdn/matrix-auth-elements.global.js",
      join(own, "matrix-auth-elements.global.js"),
    );
    const [, integrity = ""] =
      /global\.js" integrity="([^"]+)"/.exec(await readFile("dist/cdn/integrity.html", "utf8")) ??
      [];
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(own, name), text.replace("{integrity}", integrity));
    }
    const blocks = await blocksOf("docs/guides/strict-page.md");
    const headers = blocks.find(({ language }) => language === "text")?.text ?? "";
    assert.equal(headers.trim().split("\n").length, 3);
    await writeFile(
      join(own, "headers.txt"),
      headers.replace("connect-src https:", `connect-src https: http://${servers.passwords}`),
    );
    const port = await freePort();
    const running = spawn(process.execPath, ["server.mjs"], {
      cwd: own,
      env: { ...process.env, PORT: String(port) },
    });
    const origin = `http://127.0.0.1:${port}`;
    try {
      await waitFor("no server", () => fetch(origin).then(Boolean, () => false));
      const tab = await browser.profile.newTab();
      await tab.goto(origin);
      await signIn(tab);
      await tab.reload();
      await waitForPageText(tab, "Signed in as @alice:");
      const setMarkup = inPage(tab, () => void (document.body.innerHTML = "x"));
      await assert.rejects(setMarkup, /TypeError|TrustedHTML/);
      await tab.click("#signed-in button");
      await tab.waitForTrue("document.querySelector('matrix-login').checkVisibility()");
      const warnings = tab.warnings.filter((each) => !/status of 404|TrustedHTML/.test(each));
      assert.deepEqual(warnings, []);

      const library = join(own, "matrix-auth-elements.global.js");
      await writeFile(library, `${await readFile(library, "utf8")}\n`);
      const changed = await browser.profile.newTab();
      await changed.goto(origin);
      await changed.waitForTrue("document.readyState === 'complete'");
      assert.equal(await changed.run("customElements.get('matrix-login') === undefined"), true);
    } finally {
      running.kill();
    }
  });

  it("The widget signs a user in, hides the form, and signs the user out, even without storage", async () => {
    const own = await mkdtemp(join(folder, "widget-"));
    await cp("dist/cdn", own, { recursive: true });
    for (const [name, text] of Object.entries(await filesOf("embed"))) {
      await writeFile(join(own, name), text);
    }
    const pages = await startPages({ roots: { "/": own }, hostname: "127.0.0.1" });
    try {
      const tab = await browser.profile.newTab();
      await tab.goto(`${pages.origin}/widget.html`);
      await signIn(tab);
      assert.equal(
        await tab.run("document.querySelector('matrix-login').checkVisibility()"),
        false,
      );
      await tab.click("#signed-in button");
      await tab.waitForTrue("document.querySelector('matrix-login').checkVisibility()");

      // With the provider, in a popup that ends on the callback page.
      await tab.goto(`${pages.origin}/widget.html`);
      await tab.type("matrix-login input[name=homeserver]", servers.provider);
      await waitForState(tab, "matrix-login", "ready");
      await useProviderButton(tab, "focus");
      const popup = await tab.pressOpening("Enter");
      await popup.waitForTrue("document.querySelector('a')?.textContent === 'Continue'");
      await popup.run("void document.querySelector('a').click()").catch(() => undefined);
      await waitForPageText(tab, `Signed in as @alice:${servers.provider}`);
      await tab.reload();
      await waitForPageText(tab, `Signed in as @alice:${servers.provider}`);

      const blocked = await browser.driver.newProfile("everywhere");
      try {
        const memory = await blocked.newTab();
        await memory.goto(`${pages.origin}/widget.html`);
        await signIn(memory);
        await memory.click("#signed-in button");
        await memory.waitForTrue("document.querySelector('matrix-login').checkVisibility()");
      } finally {
        await blocked.close();
      }
    } finally {
      await pages.close();
    }
  });

  it("The page with the user's name and picture shows both, and then the changed name", async () => {
    const own = await mkdtemp(join(folder, "profile-"));
    await cp("dist/cdn", own, { recursive: true });
    await writeFile(
      join(own, "profile.html"),
      (await filesOf("name-and-picture"))["profile.html"] ?? "",
    );
    const pages = await startPages({ roots: { "/": own }, hostname: "127.0.0.1" });
    const header = (name: string): string =>
      `document.querySelector("header strong").textContent === "${name}"`;
    try {
      const tab = await browser.profile.newTab();
      await tab.goto(`${pages.origin}/profile.html`);
      await enter(tab);
      await tab.waitForTrue(header("alice"));
      assert.equal(await tab.run(`document.querySelector("img").hidden`), true);
      await tab.run(`(${setPicture.toString()})()`);
      await tab.reload();
      await tab.waitForTrue(`document.querySelector("img").naturalWidth === 3`);
      await waitForState(tab, "matrix-account", "ready");
      await tab.run(`void (${rename.toString()})()`);
      await tab.waitForTrue(header("Alice A."));
    } finally {
      await pages.close();
    }
  });

  it("session.fetch() resolves and rejects as the guide's table describes", async () => {
    const test = await createTestServers({ login: ["password"], tokenLifetimeMs: 60_000 });
    const url = `${test.homeserver}/_matrix/client/v3/devices`;
    const start = (): LegacySession => new LegacySession(test.signIn(), { fetch: test.fetch });
    const times = { times: Infinity };
    let session = start();

    test.refuse("GET /devices", 403, { errcode: "M_FORBIDDEN" });
    assert.equal((await session.fetch(url)).status, 403);

    test.refuse("GET /devices", 401, { errcode: "M_UNKNOWN_TOKEN" });
    assert.equal((await session.fetch(url)).status, 200);

    session = start();
    const undo = test.refuse("GET /devices", 401, { errcode: "M_UNKNOWN_TOKEN" }, times);
    assert.equal((await session.fetch(url)).status, 401);
    undo();
    assert.equal(session.state, "signed-in");

    test.disconnect("GET /devices");
    await assert.rejects(session.fetch(url), TypeError);

    await assert.rejects(session.fetch(url, { signal: AbortSignal.abort("mine") }), (reason) => {
      return reason === "mine";
    });

    session = start();
    test.expireTokens();
    const locked = test.refuse("/refresh", 403, { errcode: "M_LIMIT" }, times);
    await assert.rejects(session.fetch(url), (error) => {
      return error instanceof OidcFlowError && error.code !== "session_ended";
    });
    assert.equal(session.state, "signed-in");
    locked();

    session = start();
    test.endSessions();
    assert.equal((await session.fetch(url)).status, 401);
    assert.equal(session.state, "signed-out");
    await assert.rejects(session.fetch(url), { name: "OidcFlowError", code: "session_ended" });

    const expired = { ...test.signIn(), expiresAt: Date.now() / 1000 - 60 };
    session = new LegacySession(expired, { fetch: test.fetch });
    test.endSessions();
    await assert.rejects(session.fetch(url), { name: "OidcFlowError", code: "session_ended" });
    assert.equal(session.state, "signed-out");
    await assert.rejects(session.accessToken(), { code: "session_ended" });
  });

  it("The encrypted store keeps a session after a reload, and its tokens are not readable", async () => {
    const own = await mkdtemp(join(folder, "store-"));
    const blocks = await blocksOf("docs/guides/stay-signed-in.md");
    const store = blocks.find(({ file }) => file === "encrypted-store.ts")?.text ?? "";
    await build({
      stdin: {
        loader: "ts",
        contents: `${store}
          import { LegacySession, restoreSession } from "matrix-auth-elements/core";
          window.restored = (await restoreSession({ store: encryptedStore }))?.user.userId ?? "none";
          if (window.restored === "none") {
            const session = new LegacySession(
              { homeserverUrl: "https://hs.example", userId: "@a:hs.example", deviceId: "D", accessToken: "secret-token" },
              { store: encryptedStore });
            await session.stored;
            window.items = Object.values(localStorage).join();
          }`,
        resolveDir: process.cwd(),
      },
      ...{ bundle: true, format: "esm", outfile: join(own, "app.js") },
    });
    await writeFile(join(own, "index.html"), `<script type="module" src="app.js"></script>`);
    const pages = await startPages({ roots: { "/": own } });
    try {
      const tab = await browser.profile.newTab();
      await tab.goto(pages.origin);
      await tab.waitForTrue("window.items !== undefined");
      const items = await tab.run<string>("window.items");
      assert.match(items, /^[\w+/=]+\.[\w+/=]{50,}$/);
      assert.equal(await tab.run("window.restored"), "none");
      await tab.reload();
      await tab.waitForTrue("window.restored === '@a:hs.example'");
    } finally {
      await pages.close();
    }
  });

  it("The page about storage lists the keys of the code", async () => {
    const names = (await readdir("src", { recursive: true })).filter((name) =>
      /^(?!testing).+\.ts$/.test(name),
    );
    const texts = await Promise.all(names.map((name) => readFile(join("src", name), "utf8")));
    const keys = texts.flatMap((text) =>
      [...text.matchAll(/["`]matrix-auth-elements:([a-z-]+)[:"`$]/g)].map(([, key]) => key),
    );
    const page = await readFile("docs/guides/storage-and-privacy.md", "utf8");
    for (const key of keys) assert.match(page, new RegExp(`^\\|.*\`${key}(:…)?\`.*\\|`, "m"), key);
    assert.ok(new Set(keys).size > 8);
  });
});

/** Runs in the page: the signed-in user gets a picture with a width of 3 pixels. */
async function setPicture(): Promise<void> {
  const { HomeserverClient, restoreSession } = (await import(
    new URL("session.js", location.href).href
  )) as typeof import("matrix-auth-elements/core");
  const session = await restoreSession({ store: "localStorage" });
  if (!session) throw new Error("no session");
  const client = new HomeserverClient({ baseUrl: session.homeserverUrl, session });
  const canvas = Object.assign(document.createElement("canvas"), { width: 3, height: 3 });
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (!picture) throw new Error("no picture");
  await client.setAvatarUrl((await client.uploadContent(picture)).content_uri);
}

/** Runs in the page: the user changes the name in `<matrix-account>`. */
async function rename(): Promise<void> {
  const account = document.querySelector("matrix-account");
  for (const label of ["Change name", "Save"]) {
    const field = account?.shadowRoot?.querySelector<HTMLInputElement>("input#display-name");
    if (field) field.value = "Alice A.";
    field?.dispatchEvent(new Event("input"));
    const buttons = [...(account?.shadowRoot?.querySelectorAll("button") ?? [])];
    buttons.find(({ textContent }) => textContent.trim() === label)?.click();
    await account?.updateComplete;
  }
}
