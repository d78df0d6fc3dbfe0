// Each element in the playground, with servers whose behavior the user chooses.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { usePlayground } from "./page.js";

describe("The playground", () => {
  const playground = usePlayground();

  it("A user signs in in a popup", async () => {
    await playground.open("oidc-login", "&attribute:mode=popup");
    const opening = playground.context.waitForEvent("page");
    await playground.preview.getByRole("button", { name: "Sign in" }).click();
    const popup = await opening;
    await Promise.all([
      popup.waitForEvent("close"),
      popup.getByRole("button", { name: "Continue as alice" }).click(),
    ]);
    await playground.logged("oidc-success");
    assert.deepEqual([...playground.complaints], []);
  });

  it("A user signs out a device, which the dialog confirms", async () => {
    const { preview } = playground;
    await playground.open("matrix-account");
    await preview.getByRole("button", { name: "Details Old laptop" }).click();
    await preview.getByRole("button", { name: "Sign out Old laptop" }).click();
    const field = preview.locator("uia-dialog").getByRole("textbox", { name: "Password" });
    await field.fill("password");
    await field.press("Enter");
    await preview.getByText(/^Signed out: .*Old laptop/).waitFor();
    await playground.logged("matrix-account-change");
    assert.deepEqual([...playground.complaints], []);
  });

  it("A user signs out a device on the provider's account page, and returns", async () => {
    const { preview } = playground;
    await playground.open("matrix-account");
    await playground.chooseAnew("Sign-in methods", "OAuth 2.0");
    const opening = playground.context.waitForEvent("page");
    await preview.getByRole("button", { name: "Details Old laptop" }).click();
    await preview.getByRole("link", { name: "Sign out Old laptop" }).click();
    const account = await opening;
    await account.getByRole("button", { name: "Sign out the device" }).click();
    await account.getByRole("heading", { name: "The device is signed out" }).waitFor();
    await account.close();
    // The account page is a tab, so the browser does not tell the other page that it has the focus again.
    await preview.locator("html").evaluate(() => window.dispatchEvent(new Event("focus")));
    await preview.getByText(/^Signed out: .*Old laptop/).waitFor();
    await playground.logged("matrix-account-change");
    assert.deepEqual([...playground.complaints], []);
  });

  /** The dialog's text at each stage, by the stage's label. */
  const STAGES: Readonly<Record<string, string>> = {
    Password: "Enter your password to continue.",
    "Single sign-on": "Sign in again with your identity provider.",
    "Single sign-on (unstable name)": "Sign in again with your identity provider.",
    "Password, or single sign-on": "Enter your password to continue.",
    "Approval at the provider": "Approve this request on your account page.",
    "Approval at the provider (unstable name)": "Approve this request on your account page.",
    "Password, then an unknown stage": "Step 1 of 2",
    "Email address": "Enter your email address to receive a link.",
    "Phone number": "Enter your phone number to receive a code.",
    Captcha: "Complete the next step on the homeserver’s page.",
    Terms: "Review and accept these terms.",
    "Registration token": "Enter the registration token from the homeserver’s administrator.",
    "Registration token (unstable name)":
      "Enter the registration token from the homeserver’s administrator.",
    "Dummy: nothing to do": "Done.",
    "Registration token, terms, email, dummy": "Step 1 of 3",
  };

  it("The dialog shows every selectable stage", async () => {
    await playground.open("uia-dialog");
    const select = playground.control("Stages");
    const labels = await select.locator("option").allInnerTexts();
    assert.deepEqual(labels.sort(), Object.keys(STAGES).sort());
    for (const [label, text] of Object.entries(STAGES)) {
      await playground.chooseAnew("Stages", label);
      await playground.preview.locator("#ask").click();
      await playground.preview.getByText(text).first().waitFor();
    }
    assert.deepEqual([...playground.complaints], []);
  });

  it("An email address is confirmed with the link in a message", async () => {
    await playground.open("uia-dialog", "&stage=email&attribute:poll-interval=500");
    await playground.preview.getByRole("button", { name: "Create an account" }).click();
    await playground.preview
      .getByRole("textbox", { name: "Email address" })
      .fill("new@mail.example");
    await playground.preview.getByRole("button", { name: "Send email" }).click();
    const opening = playground.context.waitForEvent("page");
    await playground.page.getByRole("link", { name: "Confirm the address" }).click();
    const mail = await opening;
    await mail.getByRole("button", { name: "Confirm" }).click();
    await mail.getByRole("heading", { name: "Your address is confirmed" }).waitFor();
    await mail.close();
    await playground.preview.getByText("Done.").waitFor();
    assert.deepEqual([...playground.complaints], []);
  });

  it("A stage is completed on the homeserver's page, in a popup", async () => {
    await playground.open("uia-fallback-frame", "&attribute:mode=popup");
    const opening = playground.context.waitForEvent("page");
    await playground.preview.getByRole("button", { name: "Open page" }).click();
    await (await opening).getByRole("button", { name: "Complete this step" }).click();
    await playground.preview.getByText("Done.").waitFor();
    await playground.logged("uia-fallback-done");
    assert.deepEqual([...playground.complaints], []);
  });

  it("Every error that can be chosen for the callback is shown, and disappears with None", async () => {
    await playground.open("oidc-callback");
    const select = playground.control("Error");
    const labels = (await select.locator("option").allInnerTexts()).filter(
      // These responses are slow.
      (label) =>
        !["None", "No response at all", "Every response takes three seconds"].includes(label),
    );
    assert.ok(labels.length >= 10);
    for (const label of labels) {
      await playground.chooseAnew("Error", label);
      await playground.preview.locator("oidc-callback:state(error)").waitFor();
      await playground.page.locator("#log .name", { hasText: /^oidc-(error|cancel)$/ }).waitFor();
    }
    await playground.chooseAnew("Error", "None");
    await playground.preview.getByText("You’re signed in.").waitFor();
    // An error that only the page's author can fix is logged to the console.
    const [mixUp, ...others] = playground.complaints;
    assert.match(mixUp ?? "", /^matrix-auth-elements: issuer_mismatch\. /);
    assert.deepEqual(others, []);
  });

  it("The dialog starts over once the homeserver has removed its session", async () => {
    await playground.open("uia-dialog", "&once=on");
    await playground.chooseAnew("Error", "The homeserver has removed the session");
    await playground.preview.getByRole("button", { name: "Sign out the old laptop" }).click();
    const field = playground.preview.getByRole("textbox", { name: "Password" });
    await field.fill("password");
    await field.press("Enter");
    await playground.preview.getByText("Done.").waitFor();
    assert.match(await playground.page.locator("#log").innerText(), /"restarted":true/);
    assert.deepEqual([...playground.complaints], []);
  });

  it("An error of the homeserver is shown, once, and trying again succeeds", async () => {
    await playground.open("matrix-login");
    await playground.page.getByLabel("Only at the next request").check();
    await playground.chooseAnew("Error", "The account is locked");
    await playground.preview.getByRole("textbox", { name: "Username" }).fill("alice");
    const password = playground.preview.getByRole("textbox", { name: "Password" });
    await password.fill("password");
    await password.press("Enter");
    await playground.preview.locator("matrix-login:state(error)").waitFor();
    await password.fill("password");
    await password.press("Enter");
    await playground.logged("matrix-login-success");
    assert.match(await playground.page.locator("#log").innerText(), /"code":"user_locked"/);
    assert.deepEqual([...playground.complaints], []);
  });
});
