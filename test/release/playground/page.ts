// The playground in Chromium.
import assert from "node:assert/strict";
import { beforeEach } from "node:test";
import type { BrowserContextOptions, FrameLocator, Locator } from "playwright-core";
import { SitePage } from "../site-page.js";

export const ELEMENTS = [
  "matrix-account",
  "matrix-login",
  "oidc-callback",
  "oidc-login",
  "uia-dialog",
  "uia-fallback-frame",
] as const;

export type ElementName = (typeof ELEMENTS)[number];

/** The playground, with a new profile for each test. */
export function usePlayground(): PlaygroundPage {
  const playground = new PlaygroundPage();
  beforeEach(() => playground.newProfile());
  return playground;
}

export class PlaygroundPage extends SitePage {
  override readonly part = "playground/";
  declare preview: FrameLocator;

  override async newProfile(options: BrowserContextOptions = {}): Promise<void> {
    await super.newProfile(options);
    this.preview = this.page.frameLocator("#preview");
  }

  async open(element: ElementName, more = ""): Promise<void> {
    // Otherwise only the fragment would change, without a reload.
    await this.page.goto("about:blank");
    await this.page.goto(`${this.url}#element=${element}${more}`);
  }

  /** The first content that an element shows. */
  first(element: ElementName): Locator {
    const { preview } = this;
    switch (element) {
      case "matrix-account":
        return preview.getByRole("heading", { name: "Devices", exact: true });
      case "matrix-login":
        return preview.getByRole("textbox", { name: "Password" });
      case "oidc-login":
        return preview.getByRole("button", { name: "Sign in" });
      case "oidc-callback":
        return preview.getByText("You’re signed in.");
      case "uia-dialog":
        return preview.getByRole("button", { name: "Sign out the old laptop" });
      case "uia-fallback-frame":
        return preview.getByRole("button", { name: "Open page" });
    }
  }

  control(label: string): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  async choose(name: string, label: string | RegExp): Promise<void> {
    const select = this.control(name);
    const labels = await select.locator("option").allInnerTexts();
    const found = labels.find((each) =>
      typeof label === "string" ? each === label : label.test(each),
    );
    assert.ok(found !== undefined, `There is no ${String(label)}`);
    await select.selectOption({ label: found });
  }

  /** Runs an action that starts a new page in the preview, and waits for that page. */
  async beginAnew(action: () => Promise<void>): Promise<void> {
    await this.preview.locator("html").evaluate((old) => old.setAttribute("data-old", ""));
    await action();
    await this.preview.locator("html:not([data-old])").waitFor();
  }

  chooseAnew(name: string, label: string): Promise<void> {
    return this.beginAnew(() => this.choose(name, label));
  }

  openDetails(): Promise<void> {
    return this.page.evaluate(
      "document.querySelectorAll('details').forEach((each) => (each.open = true))",
    );
  }

  logged(name: string): Promise<void> {
    const names = this.page.locator("#log .name", { hasText: new RegExp(`^${name}$`) });
    return names.first().waitFor();
  }
}
