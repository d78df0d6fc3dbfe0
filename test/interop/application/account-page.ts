import type { SignedInUser } from "../../contract/api-client.js";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { choosePicture, waitForState } from "../../e2e/user-actions.js";
import type { Loopback } from "../synapse/loopback.js";

const ROOT = "document.querySelector('matrix-account').shadowRoot";

/** `pages/account.html` in a browser, and the user's actions on it. */
export class AccountPage {
  readonly tab: Tab;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  static async open(pages: Loopback, profile: Profile): Promise<AccountPage> {
    const page = new AccountPage(await profile.newTab());
    await page.tab.goto(`${pages.origin}/application/account.html`);
    await page.tab.waitForTrue("window.isReady");
    return page;
  }

  async signIn(
    { baseUrl }: { readonly baseUrl: string },
    { token, userId, deviceId }: SignedInUser,
  ): Promise<void> {
    const result = { homeserverUrl: baseUrl, accessToken: token, userId, deviceId };
    await this.tab.run(`void page.signIn(${JSON.stringify(result)})`);
    await this.waitForReady();
  }

  waitForReady(): Promise<void> {
    return waitForState(this.tab, "matrix-account", "ready");
  }

  /** Clicks a part of the element's shadow root. */
  click(selector: string): Promise<void> {
    return this.tab.click("matrix-account", selector);
  }

  /** The names of the devices, or their IDs without a name, in the order shown. */
  names(): Promise<readonly string[]> {
    return this.tab.run(
      `[...${ROOT}.querySelectorAll("[part=device-name]")].map(
        (name) => (name.querySelector(".visually-hidden") ?? name).textContent)`,
    );
  }

  /** @param row The position in `names()`; 0 is this device, whose buttons are always shown. */
  async rename(row: number, name: string): Promise<void> {
    if (row > 0) await this.click(`#details-${row - 1}`);
    await this.click(`#rename-${row > 0 ? row - 1 : "own"}`);
    await this.tab.waitForTrue(`${ROOT}.activeElement?.matches("[id^=new-name]")`);
    await this.tab.run(`${ROOT}.activeElement.select()`);
    await this.tab.typeHere(name);
    await this.tab.press("Enter");
  }

  /** Changes the user's name. */
  async setName(name: string): Promise<void> {
    await this.click("#change-name");
    await this.tab.waitForTrue(`${ROOT}.activeElement?.id === "display-name"`);
    await this.tab.run(`${ROOT}.activeElement.select()`);
    await this.tab.typeHere(name);
    await this.tab.press("Enter");
  }

  /** Chooses a picture, and saves it once it is shown. */
  async setPicture(): Promise<void> {
    await choosePicture(this.tab);
    await this.tab.waitForTrue(`${ROOT}.activeElement?.id === "save-profile"`);
    await this.tab.waitForTrue(`${ROOT}.querySelector("[part=avatar] img")?.complete ?? false`);
    await this.click("#save-profile");
  }

  /** Waits until the element shows the user's picture. */
  waitForPicture(): Promise<void> {
    return this.tab.waitForTrue(
      `${ROOT}.querySelector("[part=avatar] img")?.naturalWidth > 0 ?? false`,
    );
  }

  select(row: number): Promise<void> {
    return this.click(`ul:not(.own) > [data-row]:nth-child(${row}) [type=checkbox]`);
  }

  /** Agrees in the question. */
  async agree(): Promise<void> {
    await this.tab.waitForTrue(`${ROOT}.activeElement?.matches("[part=question] button") ?? false`);
    await this.click("[part=question] [part=danger]");
  }

  /** Fills in a field of a section, and submits it. */
  async fillIn(field: string, text: string): Promise<void> {
    await this.tab.type(`matrix-account [name=${field}]`, text);
    await this.tab.press("Enter");
  }

  /** Fills in a field of the dialog, and submits it. */
  async fillInDialog(field: string, text: string): Promise<void> {
    await this.tab.waitForTrue(
      `${ROOT}.activeElement?.matches("uia-dialog [name=${field}]") ?? false`,
    );
    await this.tab.typeHere(text);
    await this.tab.press("Enter");
  }

  /** Enters the password that the dialog requires. */
  confirm(password: string): Promise<void> {
    return this.fillInDialog("password", password);
  }

  /** Waits until the homeserver has confirmed a change. @returns All changes since the last call. */
  async changes(): Promise<unknown> {
    await this.tab.waitForTrue("window.changes.length > 0");
    return this.tab.run("window.changes.splice(0)");
  }
}
