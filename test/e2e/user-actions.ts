import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Tab } from "./driver/driver.js";

/** What a person does on the provider's pages. */
export const atProvider = {
  async signIn(tab: Tab, name = "alice"): Promise<void> {
    await tab.waitFor("[name=username]");
    await tab.type("[name=username]", name);
    await tab.type("[name=password]", `${name}-demo-password`);
    await tab.click("[name=action][value=sign-in]");
    await atProvider.allow(tab);
  },

  async createAccount(tab: Tab, name: string): Promise<void> {
    await tab.waitFor("[name=display_name]");
    await tab.type("[name=username]", name);
    await tab.type("[name=display_name]", "Somebody New");
    await tab.type("[name=password]", "a-long-new-password");
    await tab.click("[name=action][value=create]");
    await atProvider.allow(tab);
  },

  async allow(tab: Tab): Promise<void> {
    await tab.waitFor("[name=action][value=allow]");
    await tab.click("[name=action][value=allow]");
  },

  /** Types the code that another device shows. */
  async confirmDevice(tab: Tab, code: string): Promise<void> {
    await tab.type("[name=user_code]", code);
    await tab.click("button.primary");
    await tab.waitFor("[name=confirm]");
    await tab.click("[name=confirm]");
  },

  async refuse(tab: Tab): Promise<void> {
    await tab.waitFor("[name=action][value=cancel]");
    await tab.click("[name=action][value=cancel]");
  },
};

/** What an element shows, its shadow root included. */
export const textOf = (tab: Tab, selector: string): Promise<string> =>
  tab.run(`(() => {
    const text = (node) => node instanceof HTMLStyleElement ? "" : node instanceof HTMLSlotElement
      ? [...(node.assignedNodes().length ? node.assignedNodes() : node.childNodes)].map(text).join("")
      : node.shadowRoot ? text(node.shadowRoot)
      : node.childNodes.length ? [...node.childNodes].map(text).join("")
      : node.nodeType === Node.TEXT_NODE ? node.data : "";
    return text(document.querySelector(${JSON.stringify(selector)})).replace(/\\s+/g, " ").trim();
  })()`);

/** Waits until an element is in a state, by the property that it has for it. */
export const waitForState = (tab: Tab, selector: string, state: string): Promise<void> =>
  tab.waitForTrue(
    `document.querySelector(${JSON.stringify(selector)})?.state === ${JSON.stringify(state)}`,
  );

/** Waits until a window is closed; meanwhile the browser is asked of another one. */
export async function waitForClosed(window: Tab, other: Tab): Promise<void> {
  for (let turn = 0; turn < 100 && !window.isClosed(); turn += 1) {
    await other.waitForTrue("true");
    await delay(20);
  }
  assert.ok(window.isClosed(), "the window is closed");
}

/** Begins on a page of test/e2e/pages/protected.js, once that is there to hear it. */
export async function pressBegin(tab: Tab): Promise<void> {
  await tab.waitForTrue("document.querySelector('uia-dialog').client !== undefined");
  await tab.click("#begin");
}
