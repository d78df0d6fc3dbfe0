// The playground's code, copied to a separate page.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { createTestServers, type TestServersOptions } from "matrix-auth-elements/testing";
import { startPages } from "../../../demo/server/pages.js";
import { usePlayground } from "./page.js";

describe("The playground's code", () => {
  const playground = usePlayground();

  /** Copies the code with the button, and opens it next to the files of dist/cdn/, with servers for tests. */
  async function openCopied(options: TestServersOptions = {}): Promise<Page> {
    await playground.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await playground.page.getByRole("button", { name: "Copy" }).click();
    await playground.page.getByText("Copied.").waitFor();
    const code = await playground.page.evaluate<string>("navigator.clipboard.readText()");
    assert.equal(code, await playground.page.locator("#code code").textContent());
    const servers = await createTestServers({
      homeserver: "https://matrix.example.org",
      serverName: "example.org",
      ...options,
    });
    // The playground is no longer needed.
    await playground.page.goto("about:blank");
    await playground.context.route(servers.handles, servers.route);
    await playground.context.route(`${cdn.origin}/copied.html`, (route) =>
      route.fulfill({ contentType: "text/html; charset=utf-8", body: code }),
    );
    const copied = await playground.context.newPage();
    playground.complaints.clear();
    await copied.goto(`${cdn.origin}/copied.html`);
    return copied;
  }

  let cdn: Awaited<ReturnType<typeof startPages>>;
  before(async () => {
    cdn = await startPages({ hostname: "127.0.0.1", roots: { "/": "dist/cdn" } });
  });
  after(() => cdn?.close());

  it("of <oidc-login> signs in, with the chosen style and strings", async () => {
    await playground.open("oidc-login");
    await playground.openDetails();
    const field = (name: string): Locator => playground.page.locator(`[name="${name}"]`);
    await field("token:--oidc-accent-color").fill("rgb(0 128 0)");
    await field("token:--oidc-border-radius").fill("1px; } body { display: none");
    await field("part:button").fill("text-transform: uppercase; nonsense");
    await field("slot:").fill("Go <b>& on</b>");
    await field("slot:").press("Tab");
    await playground.choose("Language", /\(fr\)/);
    await playground.choose("Theme", "Dark");
    const button = playground.preview.getByRole("button", { name: "Go <b>& on</b>" });
    await button.waitFor();
    const lookOf = (shown: Locator): Promise<readonly string[]> =>
      shown.evaluate((each) => {
        const { backgroundColor, textTransform, borderRadius, colorScheme } =
          getComputedStyle(each);
        return [backgroundColor, textTransform, borderRadius, colorScheme];
      });
    const look = await lookOf(button);
    assert.deepEqual(look.slice(0, 2), ["rgb(0, 128, 0)", "uppercase"]);

    const copied = await openCopied();
    assert.equal(await copied.locator("html").getAttribute("lang"), "fr");
    const there = copied.getByRole("button", { name: "Go <b>& on</b>" });
    assert.deepEqual(await lookOf(there), look);
    await there.click();
    await copied.getByRole("link", { name: "Continue" }).click();
    await copied.getByText("Signed in at https://matrix.example.org").waitFor();
    // The callback's text is in the chosen language.
    await copied.getByText("Connexion réussie").waitFor();
  });

  it("of <matrix-login> signs in, with a custom string", async () => {
    await playground.open("matrix-login");
    await playground.choose("Custom string", /^signIn: /);
    await playground.control("Text").fill("Come </script> in");
    await playground.control("Text").press("Tab");
    await playground.preview.getByRole("heading", { name: "Come </script> in" }).waitFor();
    const copied = await openCopied({ login: ["password"] });
    await copied.getByRole("heading", { name: "Come </script> in" }).waitFor();
    await copied.getByRole("textbox", { name: "Username" }).fill("alice");
    await copied.getByRole("textbox", { name: "Password" }).fill("password");
    await copied.getByRole("textbox", { name: "Password" }).press("Enter");
    await copied.getByText("You are @alice:example.org").waitFor();
  });

  it("of <matrix-account> signs in and shows the account", async () => {
    await playground.open("matrix-account");
    const copied = await openCopied({ login: ["password"] });
    await copied.getByRole("textbox", { name: "Username" }).fill("alice");
    const password = copied.locator("matrix-login").getByRole("textbox", { name: "Password" });
    await password.fill("password");
    await password.press("Enter");
    await copied.getByText("@alice:example.org").first().waitFor();
    await copied.getByText("This device").waitFor();
  });

  it("of <oidc-callback> completes a sign-in", async () => {
    await playground.open("oidc-callback");
    const copied = await openCopied();
    await copied.getByRole("button", { name: "Sign in" }).click();
    await copied.getByRole("link", { name: "Continue" }).click();
    await copied.getByText("Signed in at https://matrix.example.org").waitFor();
  });

  it("of <uia-dialog> signs in and confirms a request", async () => {
    await playground.open("uia-dialog");
    const copied = await openCopied({ login: ["password"] });
    await copied.getByRole("textbox", { name: "Username" }).fill("alice");
    await copied.getByRole("textbox", { name: "Password" }).fill("password");
    await copied.getByRole("textbox", { name: "Password" }).press("Enter");
    await copied.getByRole("button", { name: "Sign out the old laptop" }).click();
    const password = copied.locator("uia-dialog").getByRole("textbox", { name: "Password" });
    await password.fill("password");
    await password.press("Enter");
    await copied.getByText("Done.").waitFor();
  });

  it("of <uia-dialog> creates an account", async () => {
    await playground.open("uia-dialog", "&stage=terms");
    const copied = await openCopied({
      login: ["password"],
      uia: { registrationFlows: [["m.login.terms"]] },
    });
    await copied.getByRole("button", { name: "Create an account" }).click();
    // The policies are shown with the button.
    await copied.getByRole("button", { name: "Accept" }).waitFor();
    for (const box of await copied.getByRole("checkbox").all()) await box.check();
    await copied.getByRole("button", { name: "Accept" }).click();
    await copied.getByText("Done.").waitFor();
  });

  it("of <uia-fallback-frame> completes a stage on the homeserver's page", async () => {
    await playground.open("uia-fallback-frame");
    const copied = await openCopied({
      login: ["password"],
      uia: { registrationFlows: [["m.login.recaptcha"]] },
    });
    const opening = playground.context.waitForEvent("page");
    await copied.getByRole("button", { name: "Open page" }).click();
    await (await opening).getByRole("button", { name: "Continue" }).click();
    await copied.getByText("Done.").waitFor();
  });
});
