import type { Tab } from "../../e2e/driver/driver.js";

const ALLOW = "form.cpd-form-root:not(:has([name=action])) button, [value=consent]";

/** The user confirms that the device with the code is theirs. */
const OWN_DEVICE = "#confirm_device";

/** A user's actions on the pages of Matrix Authentication Service. */
export const atMas = {
  async typePassword(tab: Tab, name: string): Promise<void> {
    await tab.waitFor("[name=password]");
    await tab.type("[name=username]", name);
    await tab.type("[name=password]", `${name}-demo-password`);
    await tab.press("Enter");
  },

  async signIn(tab: Tab, name: string): Promise<void> {
    await atMas.typePassword(tab, name);
    await atMas.allow(tab);
  },

  async allow(tab: Tab): Promise<void> {
    await waitForConsent(tab);
    if (await tab.run(`document.querySelector("${OWN_DEVICE}") !== null`))
      await tab.click(OWN_DEVICE);
    await tab.click(ALLOW);
  },

  async refuse(tab: Tab, name: string): Promise<void> {
    await atMas.typePassword(tab, name);
    await waitForConsent(tab);
    await tab.click("a[data-kind=tertiary], [value=reject]");
  },

  async createAccount(tab: Tab, name: string): Promise<void> {
    await tab.type("[name=username]", name);
    await tab.press("Enter");
    await tab.waitFor("[name=password_confirm]");
    await tab.type("[name=password]", `${name}-demo-password`);
    await tab.type("[name=password_confirm]", `${name}-demo-password`);
    await tab.press("Enter");
    await tab.type("[name=display_name]", "Somebody New");
    await tab.press("Enter");
    await atMas.allow(tab);
  },

  /** Removes the device that its account page shows. */
  async removeDevice(tab: Tab): Promise<void> {
    await clickButton(tab, "button[aria-haspopup=dialog]", "Remove device");
    await clickButton(tab, "[role=dialog] button", "Remove device");
    await tab.waitForTrue("document.querySelector('[role=dialog]') === null");
  },

  /** Allows new cross-signing keys on the account page. */
  async allowReset(tab: Tab): Promise<void> {
    await clickButton(tab, "button", "Finish reset");
    await tab.waitForTrue("location.pathname.endsWith('/success')");
  },

  /** Enters the code that another device shows. */
  async enterCode(tab: Tab, code: string): Promise<void> {
    await tab.type("[name=code]", code);
    await tab.press("Enter");
  },
};

/** Its pages for consent have this class. */
const waitForConsent = (tab: Tab): Promise<void> =>
  tab.waitForTrue("document.querySelector('.consent-client-icon') !== null");

/** Clicks a button of the account page, which has no names for its parts. */
async function clickButton(tab: Tab, selector: string, text: string): Promise<void> {
  const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find(
    ({ innerText }) => innerText.trim() === ${JSON.stringify(text)})`;
  await tab.waitForTrue(`${found} !== undefined`);
  await tab.run(`void ${found}.click()`);
}
