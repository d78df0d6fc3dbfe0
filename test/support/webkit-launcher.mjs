import { Key } from "selenium-webdriver";
import { startWebKit } from "./webkit.mjs";

/** WebDriver's keys for the runner's names. @type {Readonly<Record<string, string>>} */
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
 *   getPage(id: string): object,
 * }}
 */
export function webkitLauncher() {
  /** @type {Awaited<ReturnType<typeof startWebKit>>} */
  let webkit;
  /** @type {string} */
  let home;
  /** @type {string | undefined} */
  let active;
  const keyOf = (/** @type {string} */ key) => KEYS[key] ?? key;
  const act = () => webkit.driver.actions();
  /** Rounded, as WebDriver requires. */
  const moveTo = (/** @type {number} */ x, /** @type {number} */ y) =>
    act().move({ x: Math.round(x), y: Math.round(y), duration: 0 });
  /** The part of puppeteer's page that the runner's commands use. */
  const page = {
    screenshot: () => webkit.driver.takeScreenshot(),
    keyboard: {
      type: (/** @type {string} */ text) => act().sendKeys(text).perform(),
      press: (/** @type {string} */ key) => act().sendKeys(keyOf(key)).perform(),
      down: (/** @type {string} */ key) => act().keyDown(keyOf(key)).perform(),
      up: (/** @type {string} */ key) => act().keyUp(keyOf(key)).perform(),
    },
    mouse: {
      move: (/** @type {number} */ x, /** @type {number} */ y) => moveTo(x, y).perform(),
      click: (/** @type {number} */ x, /** @type {number} */ y) =>
        moveTo(x, y).press().release().perform(),
      down: () => act().press().perform(),
      up: () => act().release().perform(),
    },
  };
  return {
    name: "WebKit",
    // The runner's commands support a mouse and held keys for this type, whose page is below.
    type: "puppeteer",
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
    getPage: () => page,
  };
}
