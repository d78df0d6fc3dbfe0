// docs/guides/test-your-app.md with the real Playwright: the test servers behind an app.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestServers, type TestServers } from "matrix-auth-elements/testing";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { WAIT_MS } from "../support/wait-for.mjs";

const APP = "https://app.example/";

/** Not UTF-8. */
const BYTES = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x00, 0xff];

describe("matrix-auth-elements/testing, with Playwright", () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: [...CHROMIUM_ARGUMENTS],
      timeout: WAIT_MS,
    });
  });
  after(() => browser.close());

  /** Opens an app with a single page. */
  const open = async (
    servers: TestServers,
    body: string,
  ): Promise<{ readonly page: Page; readonly context: BrowserContext }> => {
    const context = await browser.newContext();
    context.setDefaultTimeout(WAIT_MS);
    await context.route(`${APP}**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/") {
        const script = '<script type="module" src="/matrix-auth-elements.js"></script>';
        return route.fulfill({
          contentType: "text/html",
          body: `<!doctype html>${script}${body}<output></output><script>
            addEventListener("matrix-login-success", ({ detail }) => {
              document.querySelector("output").textContent = detail.userId;
            });
          </script>`,
        });
      }
      const code = await readFile(`dist/cdn/${basename(pathname)}`, "utf8").catch(() => undefined);
      return code === undefined
        ? route.fulfill({ status: 404 })
        : route.fulfill({ contentType: "text/javascript", body: code });
    });
    await context.route(servers.handles, servers.route);
    const page = await context.newPage();
    await page.goto(APP);
    return { page, context };
  };

  it("A user signs in on the provider's page, and a user who declines returns", async () => {
    const servers = await createTestServers();
    const { page, context } = await open(
      servers,
      `<matrix-login homeserver="${servers.homeserver}"></matrix-login>`,
    );
    for (const answer of ["Cancel", "Continue"]) {
      await page.getByRole("button", { name: "Continue with matrix.example.org" }).click();
      await page.getByRole("link", { name: answer }).click();
      await page.waitForURL(APP);
    }
    await page.getByText("@alice:matrix.example.org").waitFor();
    await context.close();
  });

  it("A user signs in in a popup", async () => {
    const servers = await createTestServers();
    const { page, context } = await open(
      servers,
      `<oidc-login mode="popup" homeserver="${servers.homeserver}"></oidc-login>
       <oidc-callback quiet></oidc-callback>`,
    );
    await page.evaluate(`document.querySelector("oidc-login").addEventListener("oidc-success",
      ({ detail }) => (document.querySelector("output").textContent = detail.idTokenClaims.sub))`);
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Sign in" }).click();
    await (await opened).getByRole("link", { name: "Continue" }).click();
    await page.getByText("alice", { exact: true }).waitFor();
    await context.close();
  });

  it("A user signs in with a password, and with single sign-on", async () => {
    const servers = await createTestServers({ login: ["sso", "password"] });
    const { page, context } = await open(
      servers,
      `<matrix-login homeserver="${servers.homeserver}"></matrix-login>`,
    );
    await page.getByLabel("Username").fill("alice");
    await page.getByLabel("Password", { exact: true }).fill("password");
    await page.locator("[part=submit]").click();
    await page.getByText("@alice:matrix.example.org", { exact: true }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Continue with single sign-on" }).click();
    await page.getByRole("link", { name: "Continue" }).click();
    await page.getByText("@alice:matrix.example.org", { exact: true }).waitFor();
    assert.ok(servers.requests.some(({ body }) => body.includes("m.login.token")));
    await context.close();
  });

  it("The homeserver's page completes a stage", async () => {
    const servers = await createTestServers({
      login: ["password"],
      uia: { registrationFlows: [["m.login.recaptcha"]] },
    });
    const { page, context } = await open(
      servers,
      `<matrix-login homeserver="${servers.homeserver}"></matrix-login>`,
    );
    await page.getByRole("button", { name: "Create account" }).click();
    // The form is loaded now. Until then, the page has the fields for signing in.
    await page.locator("[name=repeat]").waitFor();
    await page.getByLabel("Username").fill("bob");
    for (const field of ["password", "repeat"]) {
      await page.locator(`[name=${field}]`).fill("secret-new");
    }
    await page.locator("matrix-login [part=submit]").first().click();
    const opened = page.waitForEvent("popup");
    await page.locator("uia-fallback-frame [part=open]").click();
    await (await opened).getByRole("button", { name: "Continue" }).click();
    await page.getByText("@bob:matrix.example.org", { exact: true }).waitFor();
    await context.close();
  });

  it("An uploaded image is loaded with the same bytes", async () => {
    const servers = await createTestServers({ login: ["password"] });
    const { page, context } = await open(servers, "");
    const loaded = await page.evaluate(
      async ({ homeserver, accessToken, bytes }) => {
        const headers = { Authorization: `Bearer ${accessToken}`, "Content-Type": "image/png" };
        const body = new Blob([new Uint8Array(bytes)]);
        const upload = { method: "POST", headers, body };
        const response = await fetch(`${homeserver}/_matrix/media/v3/upload`, upload);
        const { content_uri: uri } = (await response.json()) as { readonly content_uri: string };
        const path = uri.slice("mxc://".length);
        const url = `${homeserver}/_matrix/client/v1/media/download/${path}`;
        return [...new Uint8Array(await (await fetch(url, { headers })).arrayBuffer())];
      },
      { homeserver: servers.homeserver, ...servers.signIn(), bytes: BYTES },
    );
    assert.deepEqual(loaded, BYTES);
    await context.close();
  });
});
