import { Key } from "selenium-webdriver";
import { startWebKit } from "./webkit.mjs";

/** WebDriver's names for the runner's keys. @type {Readonly<Record<string, string>>} */
const KEYS = {
  ArrowDown: Key.ARROW_DOWN,
  ArrowUp: Key.ARROW_UP,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Space: Key.SPACE,
  Tab: Key.TAB,
};

/**
 * WebKitGTK for web-test-runner. It runs one file after the other, each in a separate window. (The runner's
 * own launchers for WebDriver put tests into frames.)
 *
 * @returns {import("@web/test-runner-core").BrowserLauncher & {
 *   sendKeys(id: string, keys: readonly string[]): Promise<void>,
 *   getPage(id: string): { screenshot(): Promise<string> },
 * }}
 */
export function webkitLauncher() {
  /** @type {Awaited<ReturnType<typeof startWebKit>>} */
  let webkit;
  /** @type {string} */
  let home;
  /** @type {string | undefined} */
  let active;
  return {
    name: "WebKit",
    // The plugin for keys requires this type.
    type: "webdriver",
    concurrency: 1,
    async initialize() {
      webkit = await startWebKit();
      home = await webkit.driver.getWindowHandle();
    },
    async startSession(id, url) {
      active = id;
      await webkit.driver.switchTo().newWindow("window");
      await webkit.driver.get(url);
    },
    isActive: (id) => id === active,
    getBrowserUrl: () => webkit.driver.getCurrentUrl(),
    async stopSession() {
      active = undefined;
      for (const handle of await webkit.driver.getAllWindowHandles()) {
        if (handle === home) continue;
        await webkit.driver.switchTo().window(handle);
        await webkit.driver.close();
      }
      await webkit.driver.switchTo().window(home);
      return {};
    },
    startDebugSession: () => Promise.reject(new Error("WebKit is not debugged here")),
    stop: () => webkit.close(),
    // The part of puppeteer's page that the runner's commands use.
    getPage: () => ({ screenshot: () => webkit.driver.takeScreenshot() }),
    async sendKeys(_id, keys) {
      await webkit.driver
        .actions()
        .sendKeys(...keys.map((key) => KEYS[key] ?? key))
        .perform();
    },
  };
}
