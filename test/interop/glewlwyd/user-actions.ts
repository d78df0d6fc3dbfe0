import type { Tab } from "../../e2e/driver/driver.js";
import { ALICE } from "./provider.js";

/** The scopes that a user can allow on the consent page. */
export type Allowed = "account" | "device";

const BOXES = {
  account: '[id^="grant-urn:matrix:client:api:"]',
  device: '[id^="grant-urn:matrix:client:device:"]',
} as const;

const GO_ON = "button.btn-success";

/** A user's actions on Glewlwyd's own pages. */
export const atProvider = {
  async signIn(tab: Tab): Promise<void> {
    await atProvider.typePassword(tab, ALICE.password);
    await atProvider.allow(tab, ["account", "device"]);
  },

  async typePassword(tab: Tab, password: string): Promise<void> {
    await tab.waitFor("#username");
    await tab.type("#username", ALICE.name);
    await tab.type("#password", password);
    await tab.click("#loginbut");
  },

  /** Selects the requested scopes, confirms, and continues. */
  async allow(tab: Tab, what: readonly Allowed[]): Promise<void> {
    await tab.waitFor(BOXES.account);
    for (const each of what) await tab.click(BOXES[each]);
    await tab.click("#carouselBody button.btn-primary");
    // The page shows its form until its server has stored the choice.
    await tab.waitForTrue(`document.querySelector('${BOXES.account}') === null`);
    await atProvider.continue(tab);
  },

  async continue(tab: Tab): Promise<void> {
    await tab.waitFor(GO_ON);
    await tab.click(GO_ON);
  },

  /** Revokes all apps' tokens on the page where the user is signed in. */
  async endAllTokens(tab: Tab): Promise<void> {
    await tab.waitFor("#logoutDropdown");
    await tab.click("#logoutDropdown");
    await tab.click("[aria-labelledby=logoutDropdown] a:nth-of-type(3)");
    await tab.waitForTrue("document.querySelector('.toast') !== null");
  },

  /** Types another device's code. */
  async typeCode(tab: Tab, code: string): Promise<void> {
    await tab.waitFor("[maxlength='9']");
    await tab.type("[maxlength='9']", code);
    await tab.click("button.btn-primary");
  },
};
