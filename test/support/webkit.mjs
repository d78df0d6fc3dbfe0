// WebKitGTK with its own WebDriver server, on a virtual display. Playwright's WebKit is not Debian's, and
// selenium starts no display.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Builder } from "selenium-webdriver";
import { ensureWebKit } from "../../scripts/browser.mjs";
import { freePort } from "./ports.mjs";
import { WAIT_MS, waitFor } from "./wait-for.mjs";

/**
 * The URLs of driver servers whose browser was closed.
 *
 * @type {string[]}
 */
const idle = [];

/**
 * Starts a browser with a separate profile. A driver server runs only one at a time.
 *
 * @returns {Promise<{ driver: import("selenium-webdriver").WebDriver, close: () => Promise<void> }>}
 */
export async function startWebKit() {
  const server = idle.pop() ?? (await startServer());
  const capabilities = { browserName: "MiniBrowser" };
  const driver = await new Builder().usingServer(server).withCapabilities(capabilities).build();
  await driver.manage().setTimeouts({ script: WAIT_MS });
  return {
    driver,
    async close() {
      await driver.quit();
      idle.push(server);
    },
  };
}

/** @returns {Promise<string>} The URL of a driver server, which ends with this process. */
async function startServer() {
  const paths = await ensureWebKit();
  const { screen, display } = await startScreen(paths.xvfb);
  const port = await freePort();
  const server = spawn(paths.driver, [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: "ignore",
    // It would paint with OpenGL, which without a graphics card takes a fifth of the processor time.
    env: { ...process.env, DISPLAY: display, WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
  });
  server.unref();
  process.once("exit", () => {
    server.kill();
    screen.kill();
  });
  const url = `http://127.0.0.1:${port}/`;
  const isThere = async () => (await fetch(`${url}status`)).ok;
  await waitFor(`${url} does not respond`, () => isThere().catch(() => false));
  return url;
}

/** @returns {Promise<string>} */
export async function webKitVersion() {
  const { driver, close } = await startWebKit();
  try {
    return (await driver.getCapabilities()).getBrowserVersion() ?? "";
  } finally {
    await close();
  }
}

/** @param {string} xvfb */
async function startScreen(xvfb) {
  // It takes a free display and reports its number on file descriptor 3.
  const size = ["-screen", "0", "1280x1000x24"];
  // By default the display restarts when its last client leaves, and a browser that starts then would hang.
  const screen = spawn(xvfb, ["-displayfd", "3", ...size, "-nolisten", "tcp", "-noreset"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const output = /** @type {import("node:stream").Readable} */ (screen.stdio[3]);
  // The server writes the number and the line end separately, and exits if the pipe is closed.
  let line = "";
  while (!line.endsWith("\n")) line += String((await once(output, "data"))[0]);
  // This process can end without the display.
  screen.unref();
  output.destroy();
  return { screen, display: `:${line.trim()}` };
}
